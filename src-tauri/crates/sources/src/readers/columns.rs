//! The columns of a table, told from the text of its definition. That text is data of a store that may be damaged
//! or hostile, so it is never given to SQLite: what it says of columns is read here, and nothing else of it is kept.
//!
//! Deliberately absent: tables without row ids, virtual tables, and tables with generated columns, whose rows are
//! not stored as their definition says; constraints and defaults.

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Column {
    /// Its name.
    pub name: String,
    /// Whether it is another name of the row's number, which is then not stored with the row.
    pub is_number: bool,
    /// Whether its whole numbers are stored as such and mean floating-point ones.
    pub is_real: bool,
}

/// A piece of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    /// A keyword or a plain name or number, in upper case, and as it is written.
    Word(String, String),
    /// A quoted name.
    Quoted(String),
    /// Anything else, one character each.
    Sign(char),
}

impl Token {
    fn is(&self, word: &str) -> bool {
        matches!(self, Token::Word(upper, _) if upper == word)
    }
}

/// Words that begin a constraint of a table where the name of a column could stand.
const OF_TABLE: &[&str] = &["CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"];

/// Words that end the type of a column.
const OF_COLUMN: &[&str] =
    &["CONSTRAINT", "PRIMARY", "NOT", "NULL", "UNIQUE", "CHECK", "DEFAULT", "COLLATE", "REFERENCES", "GENERATED", "AS"];

/// The columns that `definition` names; `None` if it is not one of a plain table.
pub(super) fn columns(definition: &str) -> Option<Vec<Column>> {
    let tokens = tokens(definition)?;
    let open = tokens.iter().position(|token| *token == Token::Sign('('))?;
    if !tokens.first()?.is("CREATE") || !tokens.get(1)?.is("TABLE") {
        return None;
    }
    let (mut parts, mut depth, mut close) = (vec![Vec::new()], 0, None);
    for (at, token) in tokens.iter().enumerate().skip(open + 1) {
        match token {
            Token::Sign(')') if depth == 0 => {
                close = Some(at);
                break;
            }
            Token::Sign(',') if depth == 0 => {
                parts.push(Vec::new());
                continue;
            }
            Token::Sign('(') => depth += 1,
            Token::Sign(')') => depth -= 1,
            Token::Word(..) | Token::Quoted(_) | Token::Sign(_) => {}
        }
        parts.last_mut()?.push((depth, token));
    }
    if tokens[close? + 1..].iter().any(|token| token.is("WITHOUT")) {
        return None;
    }
    let mut columns = Vec::new();
    let mut whole_numbers = Vec::new();
    let mut key = None;
    for part in &parts {
        let words: Vec<&Token> = part.iter().filter(|(depth, _)| *depth == 0).map(|(_, token)| *token).collect();
        let first = words.first()?;
        if OF_TABLE.iter().any(|word| first.is(word)) {
            if words.iter().any(|token| token.is("PRIMARY")) {
                // `PRIMARY KEY (name)`: the names stand one level deeper.
                let names: Vec<String> =
                    part.iter().filter(|(depth, _)| *depth == 1).filter_map(|(_, t)| name(t)).collect();
                key = names.first().filter(|_| !part.contains(&(1, &Token::Sign(',')))).cloned();
            }
            continue;
        }
        if words.iter().skip(1).any(|token| token.is("GENERATED") || token.is("AS")) {
            return None;
        }
        let of_type = words[1..].iter().take_while(|token| !OF_COLUMN.iter().any(|word| token.is(word)));
        let kind: String = of_type.filter_map(|token| name(token)).collect::<Vec<_>>().join(" ").to_ascii_uppercase();
        let is_key = words.windows(2).any(|pair| pair[0].is("PRIMARY") && pair[1].is("KEY"));
        let is_down = words.windows(2).any(|pair| pair[0].is("KEY") && pair[1].is("DESC"));
        let has = |names: &[&str]| names.iter().any(|name| kind.contains(name));
        whole_numbers.push(kind == "INTEGER");
        columns.push(Column {
            name: name(first)?,
            is_number: kind == "INTEGER" && is_key && !is_down,
            is_real: !has(&["INT", "CHAR", "CLOB", "TEXT", "BLOB"]) && has(&["REAL", "FLOA", "DOUB"]),
        });
    }
    let of_key = key.and_then(|key| columns.iter().position(|column| column.name.eq_ignore_ascii_case(&key)));
    if let Some(at) = of_key.filter(|at| whole_numbers[*at]) {
        columns[at].is_number = true;
    }
    (!columns.is_empty()).then_some(columns)
}

fn name(token: &Token) -> Option<String> {
    match token {
        Token::Word(_, written) | Token::Quoted(written) => Some(written.clone()),
        Token::Sign(_) => None,
    }
}

/// The pieces of a text, without comments; `None` if a quotation has no end.
fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$') || !c.is_ascii();
        let end = match first {
            c if c.is_whitespace() => c.len_utf8(),
            '-' if rest.starts_with("--") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest[2..].find("*/").map_or(rest.len(), |at| at + 4),
            '"' | '`' | '\'' | '[' => {
                let close = if first == '[' { ']' } else { first };
                let (mut quoted, mut from) = (String::new(), 1);
                loop {
                    let at = from + rest[from..].find(close)?;
                    quoted.push_str(&rest[from..at]);
                    from = at + 1;
                    // A doubled quote stands for itself.
                    if close == ']' || !rest[from..].starts_with(close) {
                        break;
                    }
                    quoted.push(close);
                    from += 1;
                }
                tokens.push(Token::Quoted(quoted));
                from
            }
            c if is_word(c) => {
                let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
                tokens.push(Token::Word(rest[..end].to_ascii_uppercase(), rest[..end].to_owned()));
                end
            }
            c => {
                tokens.push(Token::Sign(c));
                c.len_utf8()
            }
        };
        rest = &rest[end..];
    }
    Some(tokens)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use rusqlite::Connection;

    fn names(definition: &str) -> Option<Vec<(String, bool)>> {
        Some(columns(definition)?.into_iter().map(|c| (c.name, c.is_number)).collect())
    }

    #[test]
    fn plain_definitions_say_what_sqlite_says_of_them() {
        for definition in [
            "CREATE TABLE t (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)",
            "CREATE TABLE t(id INTEGER PRIMARY KEY, b)",
            "CREATE TABLE t(id INTEGER PRIMARY KEY DESC, b REAL DEFAULT (1 + (2 * 3)))",
            "CREATE TABLE t(b TEXT, id integer, PRIMARY KEY(id))",
            "CREATE TABLE t(b TEXT, id INTEGER, PRIMARY KEY(id, b))",
            "CREATE TABLE t(id INT PRIMARY KEY, b DOUBLE PRECISION NOT NULL)",
            "CREATE TABLE \"t\" (\"a \"\"b\"\", c\" VARCHAR(10, 2), [d)e] TEXT DEFAULT 'x, (y', `f` NUMERIC CHECK (f IN (1, 2)))",
            "CREATE TABLE t -- all of it\n( /* a, */ a TEXT, 'b' FLOAT COLLATE NOCASE, CONSTRAINT c UNIQUE (a, b))",
            "CREATE TABLE t(名 TEXT REFERENCES other(x), \"primary\" TEXT) STRICT",
        ] {
            let db = Connection::open_in_memory().unwrap();
            db.execute_batch(definition).unwrap();
            let mut ask = db.prepare("SELECT name FROM pragma_table_info('t') ORDER BY cid").unwrap();
            let told: Vec<String> = ask.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
            let read = columns(definition).unwrap();
            assert_eq!(read.iter().map(|c| c.name.clone()).collect::<Vec<_>>(), told, "{definition}");
            for column in read {
                // Another name of the row's number is one that cannot be NULL: SQLite gives it the number.
                let name = column.name.replace('"', "\"\"");
                let alias = db
                    .query_row(&format!("SELECT max(rowid) IS max(\"{name}\") FROM t"), [], |row| row.get::<_, bool>(0))
                    .unwrap();
                assert!(!column.is_number || alias, "{definition}: {name}");
            }
        }
        let number =
            |definition| names(definition).unwrap().into_iter().filter(|c| c.1).map(|c| c.0).collect::<Vec<_>>();
        assert_eq!(number("CREATE TABLE t(id INTEGER PRIMARY KEY, b)"), ["id"]);
        assert_eq!(number("CREATE TABLE t(b TEXT, id integer, PRIMARY KEY(ID))"), ["id"]);
        let none: [String; 0] = [];
        assert_eq!(number("CREATE TABLE t(id INTEGER PRIMARY KEY DESC, b)"), none);
        assert_eq!(number("CREATE TABLE t(b TEXT, id INTEGER, PRIMARY KEY(id, b))"), none);
        assert_eq!(number("CREATE TABLE t(id INT PRIMARY KEY)"), none);
    }

    #[test]
    fn whatever_is_no_plain_table_has_no_columns() {
        for definition in [
            "",
            "CREATE TABLE",
            "CREATE TABLE t(a",
            "CREATE TABLE t(\"a)",
            "CREATE TABLE t()",
            "CREATE TABLE t(a, )",
            "CREATE TABLE t(a, b TEXT PRIMARY KEY) WITHOUT ROWID",
            "CREATE TABLE t(a, b AS (a || 'x'))",
            "CREATE TABLE t(a, b TEXT GENERATED ALWAYS AS (a) STORED)",
            "CREATE TABLE t AS SELECT 1",
            "CREATE VIRTUAL TABLE t USING fts5(a)",
            "CREATE VIEW t AS SELECT (1)",
            "DROP TABLE t; CREATE TABLE t(a)",
            "ATTACH 'x' AS y",
        ] {
            assert_eq!(names(definition), None, "{definition}");
        }
        // What follows a definition is not looked at, for nothing of it is ever run.
        assert_eq!(names("CREATE TABLE t(a); ATTACH 'x' AS y"), Some(vec![("a".to_owned(), false)]));
    }
}
