//! What a path means inside a module: through imports, globs and modules, as far as the crate's own sources go.

use syn::Item;

use super::tree::{Import, ROOT, Tree, declared, is_public, plain};

/// What a path leads to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Def {
    Module(usize),
    /// A module and the place of the item in it.
    Item(usize, usize),
    /// An enum as above, and a variant's name.
    Variant(usize, usize, String),
    /// A name that a macro must have written in this module.
    Made(usize, String),
    /// A path out of the crate.
    Foreign(String),
}

impl Tree {
    /// What a public import leads to. A private item or module of the same name is not meant, but a glob may lead
    /// through a private module. Empty when it leads nowhere.
    pub(super) fn target(&self, module: usize, import: &Import) -> Vec<Def> {
        let mut defs = self.follow(module, import, &mut Vec::new());
        defs.retain(|def| match def {
            Def::Item(module, place) => {
                let item = self.item(*module, *place).and_then(declared);
                item.is_some_and(|(visibility, _)| is_public(visibility))
            }
            Def::Module(module) => {
                import.name.is_none() || self.modules.get(*module).is_some_and(|inside| inside.public)
            }
            Def::Variant(..) | Def::Made(..) | Def::Foreign(_) => true,
        });
        defs
    }

    /// What `path` means inside `module`.
    pub(super) fn resolve(&self, module: usize, path: &[String]) -> Vec<Def> {
        self.walk(module, path, &mut Vec::new())
    }

    fn follow(&self, module: usize, import: &Import, busy: &mut Vec<(usize, String)>) -> Vec<Def> {
        if import.absolute {
            return vec![Def::Foreign(import.path.join("::"))];
        }
        self.walk(module, &import.path, busy)
    }

    /// `busy` holds the names that are being looked up: an import of such a name is not asked again, so that
    /// `use time::time` ends.
    fn walk(&self, module: usize, path: &[String], busy: &mut Vec<(usize, String)>) -> Vec<Def> {
        let Some((first, rest)) = path.split_first() else {
            return vec![Def::Module(module)];
        };
        match (first.as_str(), self.modules.get(module)) {
            ("crate", _) => return self.walk_on(vec![Def::Module(ROOT)], rest, busy),
            ("self", _) => return self.walk_on(vec![Def::Module(module)], rest, busy),
            ("super", Some(inner)) => {
                return self.walk(inner.parent, &[&["self".into()], rest].concat(), busy);
            }
            _ => {}
        }
        let found = self.look_up(module, first, busy);
        if found.is_empty() && !is_busy(busy, module, first) {
            return vec![Def::Foreign(path.join("::"))];
        }
        self.walk_on(found, rest, busy)
    }

    fn walk_on(&self, found: Vec<Def>, path: &[String], busy: &mut Vec<(usize, String)>) -> Vec<Def> {
        let Some((name, rest)) = path.split_first() else {
            return found;
        };
        let mut next = Vec::new();
        for def in found {
            match def {
                Def::Module(module) if name == "super" => {
                    next.extend(self.modules.get(module).map(|inner| Def::Module(inner.parent)));
                }
                Def::Module(module) => {
                    let known = next.len();
                    next.extend(self.look_up(module, name, busy));
                    if next.len() == known && !is_busy(busy, module, name) {
                        next.extend(self.guess(module, name, busy));
                    }
                }
                Def::Item(module, place) => next.extend(self.variant(module, place, name)),
                Def::Foreign(path) => next.push(Def::Foreign(format!("{path}::{name}"))),
                Def::Made(module, path) => next.push(Def::Made(module, format!("{path}::{name}"))),
                Def::Variant(..) => {}
            }
        }
        self.walk_on(next, rest, busy)
    }

    /// Everything that `name` stands for in `module` itself: types, values and modules have names apart.
    fn look_up(&self, module: usize, name: &str, busy: &mut Vec<(usize, String)>) -> Vec<Def> {
        let Some(inside) = self.modules.get(module) else {
            return Vec::new();
        };
        let mut found: Vec<Def> = inside
            .children
            .get(name)
            .map(|child| Def::Module(*child))
            .into_iter()
            .collect();
        let items = inside.items.iter().enumerate();
        let items = items.filter(|(_, item)| declared(item).is_some_and(|(_, ident)| plain(ident) == name));
        found.extend(items.map(|(place, _)| Def::Item(module, place)));
        if is_busy(busy, module, name) {
            return found;
        }
        busy.push((module, String::from(name)));
        for import in inside
            .imports
            .iter()
            .filter(|import| import.name.as_deref() == Some(name))
        {
            found.extend(self.follow(module, import, busy));
        }
        if found.is_empty() {
            for glob in inside.imports.iter().filter(|import| import.name.is_none()) {
                for def in self.follow(module, glob, busy) {
                    match def {
                        Def::Module(other) => found.extend(self.look_up(other, name, busy)),
                        Def::Item(other, place) => found.extend(self.variant(other, place, name)),
                        Def::Variant(..) | Def::Made(..) | Def::Foreign(_) => {}
                    }
                }
            }
        }
        busy.pop();
        found.sort();
        found.dedup();
        found
    }

    /// Where a name comes from that is declared nowhere: a glob from another crate, or a macro.
    fn guess(&self, module: usize, name: &str, busy: &mut Vec<(usize, String)>) -> Vec<Def> {
        let Some(inside) = self.modules.get(module) else {
            return Vec::new();
        };
        if !inside.makers.is_empty() {
            return vec![Def::Made(module, String::from(name))];
        }
        let globs = inside.imports.iter().filter(|import| import.name.is_none());
        let defs: Vec<Def> = globs.flat_map(|glob| self.follow(module, glob, busy)).collect();
        let foreign = |def| match def {
            Def::Foreign(path) => Some(Def::Foreign(format!("{path}::{name}"))),
            Def::Module(_) | Def::Item(..) | Def::Variant(..) | Def::Made(..) => None,
        };
        defs.into_iter().filter_map(foreign).collect()
    }

    fn variant(&self, module: usize, place: usize, name: &str) -> Option<Def> {
        let Some(Item::Enum(item)) = self.item(module, place) else {
            return None;
        };
        let known = item.variants.iter().any(|variant| variant.ident == name);
        known.then(|| Def::Variant(module, place, String::from(name)))
    }
}

fn is_busy(busy: &[(usize, String)], module: usize, name: &str) -> bool {
    busy.iter()
        .any(|(other, known)| *other == module && known == name)
}
