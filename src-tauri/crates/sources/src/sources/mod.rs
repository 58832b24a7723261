//! The list of sources. Adding one: its folder, its word here, its fixtures.

use crate::SourceAdapter;

macro_rules! sources {
    ($($name:ident),+ $(,)?) => {
        $(mod $name;)+
        static ALL: &[&dyn SourceAdapter] = &[$(&$name::Adapter),+];
    };
}

sources! { claude_code, codex, cursor, trae, copilot }

/// The adapters in use.
#[derive(Clone)]
pub struct Registry(Vec<&'static dyn SourceAdapter>);

/// A registry that cannot be.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum RegistryError {
    /// Two adapters have one name; neither may hide the other.
    #[error("two adapters are named {0}")]
    Duplicate(&'static str),
}

impl Registry {
    /// A registry of these adapters. Two of one name are an error, never an overwrite.
    pub fn new(adapters: &[&'static dyn SourceAdapter]) -> Result<Self, RegistryError> {
        for (i, adapter) in adapters.iter().enumerate() {
            let name = adapter.manifest().name;
            if adapters[..i].iter().any(|a| a.manifest().name == name) {
                return Err(RegistryError::Duplicate(name));
            }
        }
        Ok(Self(adapters.to_vec()))
    }

    /// The adapters, in the order they are shown.
    pub fn iter(&self) -> impl Iterator<Item = &'static dyn SourceAdapter> + '_ {
        self.0.iter().copied()
    }

    /// The adapter of that name.
    pub fn get(&self, name: &str) -> Option<&'static dyn SourceAdapter> {
        self.iter().find(|a| a.manifest().name == name)
    }
}

/// Every source of this build.
pub fn registry() -> Registry {
    Registry(ALL.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_registers_once() {
        assert!(Registry::new(ALL).is_ok());
        let twice = [ALL[0], ALL[0]];
        let error = Registry::new(&twice).err();
        assert_eq!(error, Some(RegistryError::Duplicate(ALL[0].manifest().name)));
    }
}
