//! What is masked and what is not, line by line. Deliberately absent: the formats, which see none of it.

use super::*;

fn masked(text: &str) -> (String, BTreeMap<&'static str, u64>) {
    let (mut text, mut counts) = (text.to_owned(), BTreeMap::new());
    mask(&mut text, &mut counts);
    (text, counts)
}

#[test]
fn every_look_and_name_is_a_valid_expression() {
    assert_eq!((COMPILED.len(), COMPILED_NAMES.len()), (LOOKS.len(), NAMES.len()));
}

const AWS: &str = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYZq8xKpZ1ab";

#[test]
fn secrets_are_masked_in_every_language() {
    let cases = [
        ("密码: xxx", "密码: [masked: password]"),
        ("密码是hunter2。", "密码是[masked: password]。"),
        ("パスワード：ひみつの", "パスワード：[masked: password]"),
        ("비밀번호 = 'abc123'", "비밀번호 = '[masked: password]'"),
        ("パスワードはhunter2です", "パスワードは[masked: password]です"),
        ("비밀번호는 abc123", "비밀번호는 [masked: password]"),
        ("APIキー：abcd1234efgh5678", "APIキー：[masked: key]"),
        ("API 키: abcd1234efgh5678", "API 키: [masked: key]"),
        ("访问令牌=abcd1234efgh5678;", "访问令牌=[masked: key];"),
        ("Server=h;Password=hunter2;Port=1", "Server=h;Password=[masked: password];Port=1"),
        (r#"{\"password\":\"p4ss\"}"#, r#"{\"password\":\"[masked: password]\"}"#),
        ("DB_PASSWORD=hunter", "DB_PASSWORD=[masked: password]"),
        (r#"{"password": "p4ss"}"#, r#"{"password": "[masked: password]"}"#),
        ("postgres://u:pw@host/db", "postgres://u:[masked: url-password]@host/db"),
        ("Authorization: Bearer abcdef0123456789", "Authorization: Bearer [masked: authorization]"),
        ("export OPENAI_API_KEY=abcd1234efgh5678", "export OPENAI_API_KEY=[masked: key]"),
        ("sk-aaaaaaaaaaaaaaaaaaaaaaaa!", "[masked: access-token]!"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----", "[masked: private-key]"),
    ];
    for (text, expected) in cases {
        assert_eq!(masked(text).0, expected, "{text}");
    }
    assert_eq!(masked("密码: abc, pwd: def").1, BTreeMap::from([("password", 2)]));
}

/// Each was written out before. `@` stands for the secret.
#[test]
fn wrappings_widths_and_signs_hide_nothing() {
    let cases = [
        ("AWS_SECRET_ACCESS_KEY=@", AWS, "key"),
        (r#""clientSecret": "@""#, AWS, "key"),
        ("aws_secret_access_key = @", "/JalrXUtnFEMI/K7MDENG/bPxRfiCYZq8xKpZ1ab", "key"),
        ("AccountKey=@;Endpoint=x", "q8xK+pZ1/abCD==", "key"),
        ("api_key=@", "Zq8xKpFLmW", "key"),
        ("api_key=@", "a1b2", "key"),
        ("token: @", "Zq8xKpFLmW", "key"),
        ("密钥：@", "Zq8xKpBLmW", "key"),
        ("密钥：@", "a1b2", "key"),
        ("令牌是@。", "a1b2", "key"),
        ("秘密鍵は@です", "a1b2", "key"),
        ("トークン：@", "Zq8xKpCLmW", "key"),
        ("토큰: @", "Zq8xKpDLmW", "key"),
        ("토큰은 @", "a1b2", "key"),
        ("**Password:** `@`", "Zq8xKp1LmW", "password"),
        ("**Password**: **@**", "Zq8xKp1LmW", "password"),
        ("__Password__: @", "Zq8xKp1LmW", "password"),
        ("- **密码**：@", "Zq8xKp2LmW", "password"),
        ("密码：`@`", "Zq8xKp3LmW", "password"),
        ("密码「@」", "Zq8xKp4LmW", "password"),
        ("パスワード『@』", "Zq8xKp4LmW", "password"),
        ("| password | @ |", "Zq8xKpELmW", "password"),
        ("| **密码** | `@` |", "Zq8xKpELmW", "password"),
        ("ﾊﾟｽﾜｰﾄﾞ: @", "Zq8xKp5LmW", "password"),
        ("ｐａｓｓｗｏｒｄ：@", "Zq8xKp6LmW", "password"),
        ("密码：@", "ｈｕｎｔｅｒ２", "password"),
        ("mysql --password @ -e x", "Zq8xKp7LmW", "password"),
        ("tool --db-password '@' x", "a b 1", "password"),
        ("tool --api-key @", "a1b2c3", "key"),
        ("curl -u admin:@ https://x", "Zq8xKp8LmW", "password"),
        ("curl -s \\\n  --user 'admin:@' https://x", "Zq8xKp8LmW", "password"),
        ("<password>@</password>", "Zq8xKp9LmW", "password"),
        ("Password := \"@\"", "Zq8xKpALmW", "password"),
        ("if password == '@':", "Zq8xKpALmW", "password"),
        ("password: str = \"@\"", "Zq8xKpALmW", "password"),
        ("password: \"@\"", "two words, one pass", "password"),
        (r#""password": "@""#, r#"a\"b1"#, "password"),
        ("我的password: @", "hunter2", "password"),
        ("the password is @", "hunter2", "password"),
        ("Password:\n@", "hunter2", "password"),
        ("password=@", "ab(cd", "password"),
        (r#"{"Authorization": "Basic @"}"#, "dXNlcjpwYXNzMQ==", "authorization"),
        ("mcp__@", "ghp_aB3dE5gH7jK9mN1pQ3sT5vX7zA9cE1gH3jK5", "access-token"),
        ("/home/u/@/proj", "ghp_aB3dE5gH7jK9mN1pQ3sT5vX7zA9cE1gH3jK5", "access-token"),
        ("-home-u-@-proj", "ghp-aB3dE5gH7jK9mN1pQ3sT5vX7zA9cE1gH3jK5", "access-token"),
        (r"line\n@", "ghp_aB3dE5gH7jK9mN1pQ3sT5vX7zA9cE1gH3jK5", "access-token"),
        ("令牌@", "ghp_aB3dE5gH7jK9mN1pQ3sT5vX7zA9cE1gH3jK5", "access-token"),
        ("Password:\n```\n@\n```", "hunter2", "password"),
        ("Password:\n\n@", "hunter2", "password"),
        ("**Password** (root): @", "hunter2", "password"),
        ("密码（root）：@", "hunter2", "password"),
        ("mysql -u root -p@ db", "Zq8xKp8LmW", "password"),
        ("mysqldump -h h -p'@' db > x", "Zq8xKp8LmW", "password"),
        ("sshpass -p @ ssh u@h".replace("u@h", "h").leak(), "Zq8xKp8LmW", "password"),
        (r#"<add key="DbPassword" value="@" />"#, "Zq8xKp8LmW", "password"),
        (r#"<property name=\"api_key\" value=\"@\"/>"#, "Zq8xKp8LmW", "password"),
        ("use @ now", "sk-ant-api03-aB3dE5gH7jK9mN1pQ3sT5vX7zA9cE1g", "access-token"),
        ("use @ now", "sk-proj-aB3dE5gH7jK9mN1pQ3sT5vX7zA9cE1g_x-9", "access-token"),
    ];
    for (text, secret, kind) in cases {
        let expected = text.replace('@', &format!("[masked: {kind}]"));
        assert_eq!(masked(&text.replace('@', secret)).0, expected, "{text}");
    }
}

#[test]
fn what_is_no_secret_stays() {
    for text in [
        "password: string",
        "password: $DB_PASSWORD",
        "password = process.env.PASSWORD",
        "token: tokenizer.next()",
        "the secret = /home/user/project/src/secret_file1.rs",
        "commit 3f786850e387550fdab836ed7e6dc881de23001b",
        "see https://host:8080/path@v1",
        "密码学是一门学问",
        "密码是什么？",
        "パスワードは必須です",
        "パスワードは8-16文字です",
        "비밀번호는 필수입니다",
        "口令为空时报错",
        "密码: 请输入您的密码",
        "パスワード：8文字以上で入力してください",
        "see /home/u/projects/sk-learn-abcdefghijklmnopqrstuvwxyz/file.py",
        "desk-abcdefghijklmnopqrstuvwxyz0123456789",
        "password=getPassword()",
        "password = os.environ[\"DB_PASSWORD\"]",
        "password = os.environ['X']",
        "password = config.password",
        "password: <your-password>",
        "password: ***",
        "密码：********",
        "password: ${VAR}",
        "password=\"${DB_PASSWORD:-}\"",
        "password={{ secret }}",
        "postgres://u:${PASS}@host/db",
        "curl -u user:$PASS https://x",
        "docker run -u 1000:1000 x",
        "Password::new(hash)",
        "| password | string | required |",
        "| password | The password of the user |",
        "the --password flag",
        "PWD=/home/u/projects",
        "the password is required, case-sensitive",
        "<password></password>",
        "token: src/auth/v2/mod.rs",
        "api_key=api_key2",
        "max_tokens: 4096, token = 12",
        "密码「显示」",
        "password (at least eight letters): the user chooses it",
        "mysql -u root -p db -P3306",
        "Password:\n```sh\nmake install\n```",
        r#"<input name="password" value="" />"#,
    ] {
        assert_eq!(masked(text).0, text);
    }
}

#[test]
fn masking_twice_changes_nothing() {
    for text in [
        "password: hunter2, token=abcd1234efgh5678",
        "**密码**：`hunter2`",
        "curl -u a:b1c2 x",
        "token=postgres://u:pw1@h",
    ] {
        let once = masked(text).0;
        assert_eq!(masked(&once), (once.clone(), BTreeMap::new()));
    }
}

#[test]
fn hostile_text_ends() {
    let patterns = [
        "password",
        "password:",
        "password=$",
        "password:'password:\"",
        r#"password:\\""#,
        "token=a1",
        "curl -u a ",
        "curl -u a:b1 ",
        "mysql -p",
        "mysql ",
        "name=\"password\" value=\"",
        "password (",
        "password:\n```\n",
        "eyJ",
        "sk-",
        "密码：",
        "ﾊﾟ",
        "a",
        "--password ",
        "password=f(",
        "-----BEGIN PRIVATE KEY-----",
    ];
    // What grew with the square of it would not end.
    for pattern in patterns {
        let text = pattern.repeat(400_000 / pattern.len());
        assert!(!masked(&text).0.is_empty(), "{pattern}");
    }
}
