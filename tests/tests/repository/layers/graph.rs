//! The graph of imports of a crate: which file uses names that another file defines.
//!
//! A name counts as used from the file that defines it, however many re-exports lie between. A method that a file adds to
//! a type of another file is an [`Extension`]. Code that only tests or documentation compile is left out.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Attribute, ImplItem, Item, ItemMod, ItemUse, Type, UseTree, Visibility};

/// The modules of a crate.
#[derive(Default)]
pub(crate) struct Crate {
    modules: Vec<Module>,
    /// The file of each macro that `#[macro_export]` puts into the crate's root.
    exported_macros: BTreeMap<String, usize>,
    /// The methods of each `impl` without a trait: its module, the path of its type, and its functions that others can
    /// call.
    methods: Vec<(usize, Vec<String>, BTreeSet<String>)>,
}

/// A method of a type that another file defines.
pub(crate) struct Extension {
    pub(crate) method: String,
    /// The file of the method.
    pub(crate) file: String,
    /// The file of its type.
    pub(crate) of: String,
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
    /// Every path in its code, apart from `use` items of the module itself.
    paths: Vec<Vec<String>>,
    /// Every function that its code defines, methods too.
    functions: BTreeSet<String>,
    /// Every method that its code calls.
    calls: BTreeSet<String>,
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
            functions: BTreeSet::new(),
            calls: BTreeSet::new(),
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
                    if let Item::Impl(methods) = &other
                        && methods.trait_.is_none()
                        && let Type::Path(of) = &*methods.self_ty
                    {
                        let of = of.path.segments.iter();
                        let of = of.map(|segment| segment.ident.to_string()).collect();
                        let functions = methods.items.iter().filter_map(|item| match item {
                            // Other modules cannot call a private function.
                            ImplItem::Fn(function) if function.vis != Visibility::Inherited => {
                                Some(function.sig.ident.to_string())
                            }
                            _ => None,
                        });
                        self.methods.push((position, of, functions.collect()));
                    }
                    let module = &mut self.modules[position];
                    module.items.extend(name(&other));
                    let declares_macro =
                        matches!(&other, Item::Macro(item) if item.ident.is_some());
                    // What a macro calls, the module calls which uses the macro.
                    let mut called = BTreeSet::new();
                    methods(other.to_token_stream(), &mut module.functions, &mut called);
                    if !declares_macro {
                        module.calls.append(&mut called);
                    }
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

    /// Returns each pair of files of which the first uses a name that the second defines. Names that the first file only
    /// offers to others count too `with_reexports`.
    pub(crate) fn edges(&self, with_reexports: bool) -> BTreeSet<(String, String)> {
        let mut edges = BTreeSet::new();
        for (position, module) in self.modules.iter().enumerate() {
            let imported = module
                .imports
                .iter()
                .filter(|import| with_reexports || !import.is_reexport)
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

    /// Returns the methods of types that other files define.
    pub(crate) fn extensions(&self) -> Vec<Extension> {
        let mut extensions = Vec::new();
        for (position, of, functions) in &self.methods {
            let Some(of) = self.resolve(*position, of, 0) else {
                continue;
            };
            let (file, of) = (&self.modules[*position].file, &self.modules[of].file);
            if file != of {
                extensions.extend(functions.iter().map(|method| Extension {
                    method: method.clone(),
                    file: file.clone(),
                    of: of.clone(),
                }));
            }
        }
        extensions
    }

    /// Returns the files that call a method of this name.
    pub(crate) fn callers<'m>(&'m self, method: &'m str) -> impl Iterator<Item = &'m str> {
        let modules = self.modules.iter();
        let modules = modules.filter(move |module| module.calls.contains(method));
        modules.map(|module| &module.file[..])
    }

    /// Returns the files that define a function or a method of this name.
    pub(crate) fn definers<'m>(&'m self, function: &'m str) -> impl Iterator<Item = &'m str> {
        let modules = self.modules.iter();
        let modules = modules.filter(move |module| module.functions.contains(function));
        modules.map(|module| &module.file[..])
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
                None => self
                    .resolve(module, &import.path, depth + 1)
                    .and_then(|of| self.find(of, &path[import.path.len()..], depth + 1)),
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
                matches!(&text[..], "test" | "doc")
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
    let mut used = Vec::new();
    let mut tokens = tokens.into_iter();
    while let Some(token) = tokens.next() {
        match token {
            // A `use` inside a function.
            TokenTree::Ident(name) if name == "use" => {
                end(&mut path);
                colons = 0;
                let is_end = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ';');
                let rest: TokenStream = tokens.clone().take_while(|token| !is_end(token)).collect();
                let Ok(item) = syn::parse2::<ItemUse>(quote::quote!(use #rest;)) else {
                    continue;
                };
                tokens.by_ref().find(is_end);
                imports(&item.tree, &mut Vec::new(), false, &mut used);
            }
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
    let used = used.into_iter().map(|import| import.path);
    into.extend(used.filter(|path| path.len() > 1));
    for group in groups {
        paths(group, into);
    }
}

/// Adds the functions that tokens define, and the methods that they call.
fn methods(tokens: TokenStream, defined: &mut BTreeSet<String>, called: &mut BTreeSet<String>) {
    let mut before = String::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        if let TokenTree::Ident(name) = &token {
            // What no arguments and no `::<` follow is a field.
            let has_arguments = match tokens.peek() {
                Some(TokenTree::Group(group)) => group.delimiter() == Delimiter::Parenthesis,
                Some(TokenTree::Punct(punct)) => punct.as_char() == ':',
                _ => false,
            };
            match &before[..] {
                "fn" => _ = defined.insert(name.to_string()),
                "." if has_arguments => _ = called.insert(name.to_string()),
                _ => {}
            }
        }
        before = match token {
            TokenTree::Group(group) => {
                methods(group.stream(), defined, called);
                String::new()
            }
            other => other.to_string(),
        };
    }
}
