//! What another crate can name: the walk from the root along everything that is `pub`.

use std::collections::{BTreeMap, BTreeSet};

use syn::Item;

use super::resolve::Def;
use super::tree::{Module, ROOT, Tree, declared, is_public, plain};
use crate::failure::Failure;

/// Every public path of every definition that can be reached.
#[derive(Default)]
pub(super) struct Paths {
    pub(super) of: BTreeMap<Def, BTreeSet<String>>,
    /// Public paths where a macro writes items, and the macro.
    pub(super) makers: BTreeSet<(String, String)>,
}

impl Paths {
    /// Walks the crate.
    pub(super) fn find(tree: &Tree) -> Result<Self, Failure> {
        let mut walk = Walk {
            tree,
            paths: Self::default(),
            trail: Vec::new(),
        };
        walk.reach(Def::Module(ROOT), &tree.name)?;
        for (module, inside) in tree.modules.iter().enumerate() {
            for (place, item) in inside.items.iter().enumerate() {
                if let Item::Macro(item) = item
                    && let Some(name) = &item.ident
                    && item
                        .attrs
                        .iter()
                        .any(|attribute| attribute.path().is_ident("macro_export"))
                {
                    walk.paths
                        .add(Def::Item(module, place), format!("{}::{name}", tree.name));
                }
            }
        }
        Ok(walk.paths)
    }

    fn add(&mut self, def: Def, path: String) {
        self.of.entry(def).or_default().insert(path);
    }

    /// The path under which a definition is listed: the shortest one.
    pub(super) fn home(&self, def: &Def) -> Option<&str> {
        let paths = self.of.get(def)?.iter().map(String::as_str);
        paths.min_by_key(|path| (path.matches("::").count(), *path))
    }
}

/// A public name, and one definition behind it.
type Name = (String, Def);

struct Walk<'a> {
    tree: &'a Tree,
    paths: Paths,
    /// The modules that led here, so that a circle of re-exports ends.
    trail: Vec<usize>,
}

impl Walk<'_> {
    /// Notes that `def` is reached as `path`, and goes on inside when it is a module.
    fn reach(&mut self, def: Def, path: &str) -> Result<(), Failure> {
        self.paths.add(def.clone(), String::from(path));
        self.enter(def, path, &BTreeSet::new())
    }

    /// Reaches the public names of a module as names of `at`, but for the `hidden` ones.
    fn enter(&mut self, def: Def, at: &str, hidden: &BTreeSet<String>) -> Result<(), Failure> {
        let Def::Module(module) = def else { return Ok(()) };
        let Some(inside) = self
            .tree
            .modules
            .get(module)
            .filter(|_| !self.trail.contains(&module))
        else {
            return Ok(());
        };
        self.trail.push(module);
        self.paths.makers.extend(
            inside
                .makers
                .iter()
                .map(|maker| (String::from(at), maker.clone())),
        );
        let (public, own) = self.names(module, inside)?;
        for (name, def) in public {
            if !hidden.contains(&name) {
                self.reach(def, &format!("{at}::{name}"))?;
            }
        }
        // A glob brings no name that the module has itself.
        let hidden = hidden.union(&own).cloned().collect();
        for glob in inside
            .imports
            .iter()
            .filter(|import| import.public && import.name.is_none())
        {
            for def in self.tree.target(module, glob) {
                self.bring(def, at, &hidden)?;
            }
        }
        self.trail.pop();
        Ok(())
    }

    /// The names that a module gives by name, and all the names that it has.
    fn names(&self, module: usize, inside: &Module) -> Result<(Vec<Name>, BTreeSet<String>), Failure> {
        let mut public = Vec::new();
        let mut own = BTreeSet::new();
        for (place, item) in inside.items.iter().enumerate() {
            let (visibility, name, def) = if let Item::Mod(item) = item {
                let name = plain(&item.ident);
                let Some(child) = inside.children.get(&name) else {
                    continue;
                };
                (&item.vis, name, Def::Module(*child))
            } else if let Some((visibility, ident)) = declared(item) {
                (visibility, plain(ident), Def::Item(module, place))
            } else {
                continue;
            };
            if is_public(visibility) {
                public.push((name.clone(), def));
            }
            own.insert(name);
        }
        for import in &inside.imports {
            let Some(name) = &import.name else { continue };
            own.insert(name.clone());
            if import.public {
                let defs = self.tree.target(module, import);
                if defs.is_empty() {
                    return Err(Failure::new(format!(
                        "{}: cannot tell what `{name}` is",
                        inside.path
                    )));
                }
                public.extend(defs.into_iter().map(|def| (name.clone(), def)));
            }
        }
        Ok((public, own))
    }

    /// Follows a public glob that leads to `def`.
    fn bring(&mut self, def: Def, at: &str, hidden: &BTreeSet<String>) -> Result<(), Failure> {
        match def {
            Def::Module(module) if self.trail.contains(&module) => self.paths.add(def, format!("{at}::*")),
            Def::Module(_) => return self.enter(def, at, hidden),
            Def::Item(module, place) => {
                if let Some(Item::Enum(item)) = self.tree.item(module, place) {
                    for name in item.variants.iter().map(|variant| plain(&variant.ident)) {
                        if !hidden.contains(&name) {
                            let path = format!("{at}::{name}");
                            self.paths.add(Def::Variant(module, place, name), path);
                        }
                    }
                }
            }
            Def::Foreign(path) => self.paths.add(Def::Foreign(path + "::*"), format!("{at}::*")),
            Def::Made(module, name) => self
                .paths
                .add(Def::Made(module, name + "::*"), format!("{at}::*")),
            Def::Variant(..) => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surface::tree::tests::tree_of;

    /// What is reached, as `path = where it is declared`.
    fn check(files: &[(&str, &str)], expected: &[&str]) {
        let tree = tree_of(files).unwrap();
        let paths = Paths::find(&tree).unwrap();
        let mut found = BTreeSet::new();
        for (def, public) in &paths.of {
            let origin = match def {
                Def::Module(module) => tree.modules[*module].path.clone(),
                Def::Item(module, place) => {
                    let (_, name) = declared(tree.item(*module, *place).unwrap()).unwrap();
                    format!("{}::{name}", tree.modules[*module].path)
                }
                Def::Variant(_, _, name) => format!("variant {name}"),
                Def::Made(module, name) => format!("{}::{name}!", tree.modules[*module].path),
                Def::Foreign(path) => format!("::{path}"),
            };
            found.extend(public.iter().map(|path| format!("{path} = {origin}")));
        }
        let found: Vec<&str> = found
            .iter()
            .map(String::as_str)
            .filter(|line| *line != "c = c")
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn private_modules_count_by_what_is_reexported() {
        check(
            &[
                (
                    "src/lib.rs",
                    "mod a; mod b; pub mod open; pub use crate::a::{Kept, renamed as f};",
                ),
                (
                    "src/a.rs",
                    "mod deep; pub use self::deep::Kept; pub use super::b::g as renamed; pub struct No;",
                ),
                ("src/a/deep.rs", "pub struct Kept; pub fn no() {}"),
                ("src/b/mod.rs", "pub fn g() {}"),
                (
                    "src/open.rs",
                    "pub(crate) fn no() {} pub const N: u8 = 3; fn none() {} pub use self::N as M;",
                ),
            ],
            &[
                "c::Kept = c::a::deep::Kept",
                "c::f = c::b::g",
                "c::open = c::open",
                "c::open::M = c::open::N",
                "c::open::N = c::open::N",
            ],
        );
    }

    #[test]
    fn a_module_and_the_item_that_is_named_like_it_are_two() {
        check(
            &[(
                "src/lib.rs",
                "mod clip { pub fn clip() {} } mod cut { pub fn cut() {} fn hid() {} pub struct hid; } made! {}
                 mod r { mod read { pub fn read() {} pub fn no() {} } pub use read::read; } pub use r::read;
                 pub use clip::clip; pub use crate::cut::{cut, hid}; pub use time::time; extern crate log as logs;
                 pub use logs::info;",
            )],
            &[
                "c::clip = c::clip::clip",
                "c::cut = c::cut::cut",
                "c::hid = c::cut::hid",
                "c::info = ::log::info",
                "c::read = c::r::read::read",
                "c::time = ::time::time",
            ],
        );
    }

    #[test]
    fn globs_bring_public_names_that_are_not_hidden() {
        check(
            &[(
                "src/lib.rs",
                "mod a {
                     pub fn f() {} pub fn g() {} pub(crate) fn h() {} pub use other::Thing; pub mod m { pub fn i() {} }
                     pub enum E { V, W }
                 }
                 pub use a::*; fn g() {} pub use self::a::E::*; struct W; pub use elsewhere::*;
                 mod b { pub use super::c::*; } mod c { pub use super::b::*; pub fn j() {} } pub use b::j;",
            )],
            &[
                "c::* = ::elsewhere::*",
                "c::E = c::a::E",
                "c::Thing = ::other::Thing",
                "c::V = variant V",
                "c::f = c::a::f",
                "c::j = c::c::j",
                "c::m = c::a::m",
                "c::m::i = c::a::m::i",
            ],
        );
    }

    #[test]
    fn circles_of_reexports_end() {
        check(
            &[(
                "src/lib.rs",
                "pub mod prelude { pub use super::*; } pub mod a { pub use crate::a as b; pub fn f() {} } pub use x::x;
                 mod x { pub use super::y::x; } mod y { pub fn x() {} }",
            )],
            &[
                "c::a = c::a",
                "c::a::b = c::a",
                "c::a::f = c::a::f",
                "c::prelude = c::prelude",
                "c::prelude::* = c",
                "c::x = c::y::x",
            ],
        );
    }

    #[test]
    fn the_shortest_path_is_the_home() {
        let tree = tree_of(&[("src/lib.rs", "pub mod m { pub struct S; } pub use m::S;")]).unwrap();
        let paths = Paths::find(&tree).unwrap();
        assert_eq!(paths.home(&Def::Item(1, 0)), Some("c::S"));
        assert_eq!(paths.of[&Def::Item(1, 0)].len(), 2);
    }

    #[test]
    fn a_name_that_leads_nowhere_is_refused() {
        let tree = tree_of(&[("src/lib.rs", "mod a {} pub use a::Nothing;")]).unwrap();
        assert!(Paths::find(&tree).is_err());
    }
}
