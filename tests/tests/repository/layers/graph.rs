//! The graph of imports of a crate: which file uses names that another file defines.
//!
//! A name counts as used from the file that defines it, however many re-exports lie between. What a file merely
//! re-exports, it does not use. Code that only tests or documentation compile is left out.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Attribute, Item, ItemMod, UseTree, Visibility};

/// The modules of a crate.
#[derive(Default)]
pub(crate) struct Crate {
    modules: Vec<Module>,
    /// The file of each macro that `#[macro_export]` puts into the crate's root.
    exported_macros: BTreeMap<String, usize>,
}

/// A module: a file, or a module inside a file.
struct Module {
    /// The path below the crate's root.
    path: Vec<String>,
    /// The path of its file below `src`, without `.rs`.
    file: String,
    children: BTreeMap<String, usize>,
    /// The names of the items that it defines.
    items: BTreeSet<String>,
    imports: Vec<Import>,
    /// Every path in its code, apart from `use` items.
    paths: Vec<Vec<String>>,
}

struct Import {
    /// The name in this module; `None` for a glob.
    name: Option<String>,
    path: Vec<String>,
    is_reexport: bool,
}

/// Files by their paths below `src`, without `.rs`, with the text of each.
pub(crate) type Files = BTreeMap<String, String>;

/// Reads the sources below a folder.
pub(crate) fn read(source: &Path) -> Files {
    let mut files = Files::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(source.join(&folder)).expect("the crate's sources are there") {
            let entry = entry.expect("a folder of the repository can be listed");
            let path = folder.join(entry.file_name());
            if entry.path().is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(entry.path()).expect("sources are text");
                let name = path.with_extension("");
                files.insert(name.to_str().expect("names are ASCII").to_owned(), text);
            }
        }
    }
    files
}

impl Crate {
    /// Parses a crate, from `lib` on.
    pub(crate) fn new(files: &Files) -> Self {
        let mut this = Self::default();
        let root = syn::parse_file(&files["lib"]).expect("sources are Rust");
        this.add(files, Vec::new(), "lib", root.items);
        this
    }

    /// Adds a module and the modules below it. Returns the module's position.
    fn add(&mut self, files: &Files, path: Vec<String>, file: &str, items: Vec<Item>) -> usize {
        let position = self.modules.len();
        self.modules.push(Module {
            path: path.clone(),
            file: file.to_owned(),
            children: BTreeMap::new(),
            items: BTreeSet::new(),
            imports: Vec::new(),
            paths: Vec::new(),
        });
        for item in items {
            if is_left_out(attributes(&item)) {
                continue;
            }
            match item {
                Item::Mod(child) => {
                    let name = child.ident.to_string();
                    let below = [&path[..], std::slice::from_ref(&name)].concat();
                    for (file, items) in content(files, &below, file, child) {
                        let child = self.add(files, below.clone(), &file, items);
                        self.modules[position]
                            .children
                            .entry(name.clone())
                            .or_insert(child);
                    }
                }
                Item::Use(item) => {
                    let is_reexport = !matches!(item.vis, Visibility::Inherited);
                    imports(
                        &item.tree,
                        &mut Vec::new(),
                        is_reexport,
                        &mut self.modules[position].imports,
                    );
                }
                other => {
                    if let Item::Macro(declared) = &other
                        && let Some(name) = &declared.ident
                        && declared
                            .attrs
                            .iter()
                            .any(|attribute| attribute.path().is_ident("macro_export"))
                    {
                        self.exported_macros.insert(name.to_string(), position);
                    }
                    let module = &mut self.modules[position];
                    module.items.extend(name(&other));
                    let declares_macro =
                        matches!(&other, Item::Macro(item) if item.ident.is_some());
                    let mut found = Vec::new();
                    paths(other.into_token_stream(), &mut found);
                    // A macro's `super` is that of the module which calls it, or of one that it declares.
                    found.retain(|path| !(declares_macro && path[0] == "super"));
                    module.paths.extend(found);
                }
            }
        }
        position
    }

    /// Returns each pair of files of which the first uses a name that the second defines.
    pub(crate) fn edges(&self) -> BTreeSet<(String, String)> {
        let mut edges = BTreeSet::new();
        for (position, module) in self.modules.iter().enumerate() {
            let imported = module
                .imports
                .iter()
                .filter(|import| !import.is_reexport)
                .map(|import| &import.path);
            for path in imported.chain(&module.paths) {
                let Some(used) = self.resolve(position, path, 0) else {
                    continue;
                };
                let (from, to) = (&module.file, &self.modules[used].file);
                if from != to {
                    edges.insert((from.clone(), to.clone()));
                }
            }
        }
        edges
    }

    /// Returns the module that defines what a path means in a module; `None` if that is outside of the crate. A path
    /// that ends at a module means this module.
    fn resolve(&self, from: usize, path: &[String], depth: usize) -> Option<usize> {
        // Imports may go round in a circle through globs.
        if depth > 16 {
            return None;
        }
        let mut module = from;
        let mut rest = path;
        match rest.first()?.as_str() {
            "crate" => {
                module = 0;
                rest = &rest[1..];
            }
            "self" => rest = &rest[1..],
            "super" => {}
            _ => return self.find(module, rest, depth),
        }
        while let Some(("super", after)) =
            rest.split_first().map(|(first, after)| (&first[..], after))
        {
            let above = &self.modules[module].path[..self.modules[module].path.len() - 1];
            module = self
                .modules
                .iter()
                .position(|module| module.path == above)?;
            rest = after;
        }
        if rest.is_empty() {
            return Some(module);
        }
        // A name that is not found is made by a macro that the module calls.
        self.find(module, rest, depth)
            .or_else(|| {
                self.exported_macros
                    .get(&rest[0])
                    .copied()
                    .filter(|_| module == 0)
            })
            .or(Some(module))
    }

    /// Returns the module that defines what a path means whose first name is one of a module's own names.
    fn find(&self, module: usize, path: &[String], depth: usize) -> Option<usize> {
        let (first, rest) = path.split_first()?;
        let own = &self.modules[module];
        if !rest.is_empty()
            && let Some(child) = own.children.get(first)
        {
            return self.find(*child, rest, depth).or(Some(*child));
        }
        if own.items.contains(first) {
            return Some(module);
        }
        if let Some(child) = own.children.get(first) {
            return Some(*child);
        }
        for import in &own.imports {
            let path = match &import.name {
                Some(name) if name == first => [&import.path[..], rest].concat(),
                Some(_) => continue,
                None => [&import.path[..], path].concat(),
            };
            // A glob offers a name only if its module has it.
            let found = match import.name {
                Some(_) => self.resolve(module, &path, depth + 1),
                None => {
                    let of = self.resolve(module, &import.path, depth + 1)?;
                    self.find(of, &path[import.path.len()..], depth + 1)
                }
            };
            if found.is_some() {
                return found;
            }
        }
        None
    }
}

/// Returns the groups of files that use each other in a circle.
pub(crate) fn circles(edges: &BTreeSet<(String, String)>) -> Vec<BTreeSet<String>> {
    let mut uses: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (from, to) in edges {
        uses.entry(from).or_default().push(to);
    }
    let reached = |start: &str| {
        let mut reached = BTreeSet::new();
        let mut waiting = vec![start.to_owned()];
        while let Some(next) = waiting.pop() {
            for used in uses.get(&next[..]).into_iter().flatten() {
                if reached.insert((*used).to_owned()) {
                    waiting.push((*used).to_owned());
                }
            }
        }
        reached
    };
    let all: BTreeMap<_, _> = uses
        .keys()
        .map(|file| ((*file).to_owned(), reached(file)))
        .collect();
    let mut found: Vec<BTreeSet<String>> = Vec::new();
    for (file, used) in &all {
        let circle: BTreeSet<_> = used
            .iter()
            .filter(|other| all.get(*other).is_some_and(|back| back.contains(file)))
            .cloned()
            .collect();
        if circle.contains(file) && !found.contains(&circle) {
            found.push(circle);
        }
    }
    found
}

/// Returns the file and the items of a module that is declared in a file: of each variant, if it has several.
fn content(
    files: &Files,
    path: &[String],
    file: &str,
    module: ItemMod,
) -> Vec<(String, Vec<Item>)> {
    if let Some((_, items)) = module.content {
        return vec![(file.to_owned(), items)];
    }
    let name = path.last().expect("the root is not declared");
    // The files of a module lie in its folder; `lib` and `mod` have the folder that they lie in.
    let folder = match file.rsplit_once('/') {
        Some((folder, "mod")) => [folder, "/"].concat(),
        None if file == "lib" => String::new(),
        _ => [file, "/"].concat(),
    };
    // `#[cfg_attr(…, path = "…")]` names one file for each variant of a module.
    let named = module.attrs.iter().flat_map(|attribute| {
        let text = attribute.meta.to_token_stream().to_string();
        let names = text.split("path = \"").skip(1);
        let stems = names.filter_map(|rest| Some(rest.split_once(".rs\"")?.0.to_owned()));
        stems.collect::<Vec<_>>()
    });
    let mut stems: Vec<_> = named.collect();
    if stems.is_empty() {
        stems = vec![name.clone(), [name, "/mod"].concat()];
    }
    let found = stems.iter().map(|stem| [&folder[..], stem].concat());
    let found: Vec<_> = found.filter(|file| files.contains_key(file)).collect();
    assert!(
        !found.is_empty(),
        "the file of module {} is there",
        path.join("::")
    );
    let parse = |file: String| {
        let parsed = syn::parse_file(&files[&file]).expect("sources are Rust");
        (file, parsed.items)
    };
    found.into_iter().map(parse).collect()
}

/// Returns whether only tests or documentation compile an item.
fn is_left_out(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.meta.require_list().is_ok_and(|list| {
                let text = list.tokens.to_string();
                matches!(&text[..], "test" | "doc") || text.starts_with("any (test")
            })
    })
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Returns the name of an item.
fn name(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}

/// Adds the imports of a `use` item.
fn imports(tree: &UseTree, prefix: &mut Vec<String>, is_reexport: bool, into: &mut Vec<Import>) {
    match tree {
        UseTree::Path(path) => {
            prefix.push(path.ident.to_string());
            imports(&path.tree, prefix, is_reexport, into);
            prefix.pop();
        }
        UseTree::Group(group) => {
            for tree in &group.items {
                imports(tree, prefix, is_reexport, into);
            }
        }
        UseTree::Glob(_) => into.push(Import {
            name: None,
            path: prefix.clone(),
            is_reexport,
        }),
        UseTree::Name(_) | UseTree::Rename(_) => {
            let (own, name) = match tree {
                UseTree::Rename(renamed) => (&renamed.ident, &renamed.rename),
                UseTree::Name(named) => (&named.ident, &named.ident),
                _ => return,
            };
            let mut path = prefix.clone();
            let mut name = name.to_string();
            if own == "self" {
                if name == "self" {
                    name = path.last().cloned().unwrap_or_default();
                }
            } else {
                path.push(own.to_string());
            }
            into.push(Import {
                name: Some(name),
                path,
                is_reexport,
            });
        }
    }
}

/// Adds every path of at least two names in tokens. Tokens, since macros hide what they contain from a parser.
fn paths(tokens: TokenStream, into: &mut Vec<Vec<String>>) {
    let mut path: Vec<String> = Vec::new();
    let mut colons = 0;
    let mut end = |path: &mut Vec<String>| {
        let path = std::mem::take(path);
        if path.len() > 1 {
            into.push(path);
        }
    };
    let mut groups = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Ident(name) => {
                if colons != 2 {
                    end(&mut path);
                }
                path.push(name.to_string());
                colons = 0;
            }
            TokenTree::Punct(punct) if punct.as_char() == ':' && !path.is_empty() => colons += 1,
            TokenTree::Group(group) => {
                end(&mut path);
                groups.push(group.stream());
                colons = 0;
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => {
                end(&mut path);
                colons = 0;
            }
        }
    }
    end(&mut path);
    for group in groups {
        paths(group, into);
    }
}
