//! Writes the assembler's syntax tree as a class file (JVMS §4.1). A `.set` directive may replace any number in the
//! class file.

use std::collections::BTreeMap;

use super::code::CodeArray;
use super::error::AsmErrorKind;
use super::line::{Located, unescaped};
use super::model::{At, Attribute, Class, Code, Constant, Field, Handler, Item, ItemValue, Method};
use super::pool::Pool;

const MAGIC: i64 = 0xCAFE_BABE;

/// Returns the class file that a syntax tree describes.
pub(super) fn emit(class: &Class) -> Located<Vec<u8>> {
    let mut pool = Pool::default();
    for At { line, item } in &class.constants {
        pool.define(&item.name, &item.constant)
            .map_err(|kind| (*line, kind))?;
    }
    let mut items = Items::new(&class.items, 1);
    let mut body = Writer::new(&mut pool);
    body.class_body(class, &mut items)?;
    let body = body.bytes;

    let count = i64::from(pool.count());
    let mut header = Writer::new(&mut pool);
    header.item(&mut items, "magic", MAGIC, 4)?;
    header.item(&mut items, "minor_version", class.minor.into(), 2)?;
    header.item(&mut items, "major_version", class.major.into(), 2)?;
    header.item(&mut items, "constant_pool_count", count, 2)?;
    let mut bytes = header.bytes;
    items.finish()?;
    bytes.extend(pool.bytes());
    bytes.extend(body);
    bytes.extend(&class.trailing);
    bytes.truncate(bytes.len().saturating_sub(class.truncated));
    Ok(bytes)
}

/// The numbers given by `.set` directives. Each `.set` directive must name an item that is written.
struct Items<'c> {
    given: &'c [At<Item>],
    /// The position in `given` of the first item of each name.
    by_name: BTreeMap<&'c str, usize>,
    found: Vec<bool>,
    /// Source line of the class or member, for errors in items that no `.set` directive names.
    line: u32,
}

impl<'c> Items<'c> {
    fn new(given: &'c [At<Item>], line: u32) -> Items<'c> {
        let mut by_name = BTreeMap::new();
        for (position, At { item, .. }) in given.iter().enumerate() {
            by_name.entry(item.name.as_str()).or_insert(position);
        }
        Items {
            given,
            by_name,
            found: vec![false; given.len()],
            line,
        }
    }

    fn take(&mut self, name: &str) -> Option<&'c At<Item>> {
        let at = *self.by_name.get(name)?;
        self.found[at] = true;
        Some(&self.given[at])
    }

    fn finish(self) -> Located<()> {
        match self.given.iter().zip(self.found).find(|(_, found)| !found) {
            Some((At { line, item }, _)) => Err((
                *line,
                AsmErrorKind::UnknownItem {
                    name: item.name.clone(),
                },
            )),
            None => Ok(()),
        }
    }
}

/// The bytes written so far of a class file structure, and the pool for its constants.
struct Writer<'p> {
    bytes: Vec<u8>,
    pool: &'p mut Pool,
}

impl<'p> Writer<'p> {
    fn new(pool: &'p mut Pool) -> Writer<'p> {
        Writer {
            bytes: Vec::new(),
            pool,
        }
    }

    /// Writes an item of `width` bytes: the number that `.set` gives for `name`, or else `value`.
    fn item(&mut self, items: &mut Items<'_>, name: &str, value: i64, width: u8) -> Located<()> {
        let (line, value) = match items.take(name) {
            None => (items.line, value),
            Some(At { line, item }) => match &item.value {
                ItemValue::Number(value) => (*line, *value),
                ItemValue::Index(constant) => (*line, self.index(*line, constant)?.into()),
            },
        };
        let all = value.to_be_bytes();
        let (above, bytes) = all.split_at(all.len() - usize::from(width));
        if above.iter().any(|byte| *byte != 0) {
            let what = "item";
            let bytes = width;
            return Err((line, AsmErrorKind::DoesNotFit { what, value, bytes }));
        }
        self.bytes.extend(bytes);
        Ok(())
    }

    /// Writes an item that holds a count, such as `methods_count`.
    fn count(&mut self, items: &mut Items<'_>, name: &str, count: usize, width: u8) -> Located<()> {
        self.item(items, name, i64::try_from(count).unwrap_or(i64::MAX), width)
    }

    /// Writes an item that is the index of a constant.
    fn reference(&mut self, items: &mut Items<'_>, name: &str, to: &Constant) -> Located<()> {
        let index = self.index(items.line, to)?;
        self.item(items, name, index.into(), 2)
    }

    fn index(&mut self, line: u32, constant: &Constant) -> Located<u16> {
        self.pool.index(constant).map_err(|kind| (line, kind))
    }

    /// Writes all parts of the class file after the constant pool.
    fn class_body(&mut self, class: &Class, items: &mut Items<'_>) -> Located<()> {
        self.item(items, "access_flags", class.access.into(), 2)?;
        self.reference(items, "this_class", &Constant::Class(class.name.clone()))?;
        match &class.super_class {
            Some(name) => self.reference(items, "super_class", &Constant::Class(name.clone()))?,
            None => self.item(items, "super_class", 0, 2)?,
        }
        self.count(items, "interfaces_count", class.interfaces.len(), 2)?;
        for name in &class.interfaces {
            let index = self.pool.class(name).map_err(|kind| (items.line, kind))?;
            self.bytes.extend(index.to_be_bytes());
        }
        self.count(items, "fields_count", class.fields.len(), 2)?;
        for field in &class.fields {
            self.field(field)?;
        }
        self.count(items, "methods_count", class.methods.len(), 2)?;
        for method in &class.methods {
            self.method(method)?;
        }
        self.count(items, "attributes_count", class.attributes.len(), 2)?;
        self.attributes(items, &class.attributes)
    }

    fn field(&mut self, field: &Field) -> Located<()> {
        let mut items = Items::new(&field.items, field.line);
        self.member(&mut items, field.access, &field.name, &field.descriptor)?;
        let values = usize::from(field.value.is_some());
        let count = values + field.attributes.len();
        self.count(&mut items, "attributes_count", count, 2)?;
        if let Some(value) = &field.value {
            let mut body = Writer::new(self.pool);
            body.reference(&mut items, "ConstantValue.constantvalue_index", value)?;
            let body = body.bytes;
            self.attribute(&mut items, "ConstantValue", &body)?;
        }
        self.attributes(&mut items, &field.attributes)?;
        items.finish()
    }

    fn method(&mut self, method: &Method) -> Located<()> {
        let mut items = Items::new(&method.items, method.line);
        self.member(&mut items, method.access, &method.name, &method.descriptor)?;
        let codes = usize::from(method.code.is_some());
        let count = codes + method.attributes.len();
        self.count(&mut items, "attributes_count", count, 2)?;
        if let Some(code) = &method.code {
            let mut body = Writer::new(self.pool);
            body.code(&mut items, code)?;
            let body = body.bytes;
            self.attribute(&mut items, "Code", &body)?;
        }
        self.attributes(&mut items, &method.attributes)?;
        items.finish()
    }

    fn member(
        &mut self,
        items: &mut Items<'_>,
        access: u16,
        name: &str,
        descriptor: &str,
    ) -> Located<()> {
        let utf8 = |text: &str| Constant::Utf8(unescaped(text));
        self.item(items, "access_flags", access.into(), 2)?;
        self.reference(items, "name_index", &utf8(name))?;
        self.reference(items, "descriptor_index", &utf8(descriptor))
    }

    fn code(&mut self, items: &mut Items<'_>, code: &Code) -> Located<()> {
        let array = CodeArray::assemble(code, self.pool)?;
        self.item(items, "Code.max_stack", code.max_stack.into(), 2)?;
        self.item(items, "Code.max_locals", code.max_locals.into(), 2)?;
        self.count(items, "Code.code_length", array.bytes.len(), 4)?;
        self.bytes.extend(&array.bytes);
        self.count(items, "Code.exception_table_length", code.handlers.len(), 2)?;
        for At { line, item } in &code.handlers {
            self.handler(*line, item, &array)?;
        }
        let tables = usize::from(!array.lines.is_empty());
        let count = tables + code.attributes.len();
        self.count(items, "Code.attributes_count", count, 2)?;
        if !array.lines.is_empty() {
            let mut table = Writer::new(self.pool);
            let length = "LineNumberTable.line_number_table_length";
            table.count(items, length, array.lines.len(), 2)?;
            for (pc, line) in &array.lines {
                table.bytes.extend(pc.to_be_bytes());
                table.bytes.extend(line.to_be_bytes());
            }
            let table = table.bytes;
            self.attribute(items, "LineNumberTable", &table)?;
        }
        self.attributes(items, &code.attributes)
    }

    fn handler(&mut self, line: u32, handler: &Handler, array: &CodeArray) -> Located<()> {
        for target in [&handler.start, &handler.end, &handler.handler] {
            let pc = array.resolve(target).map_err(|kind| (line, kind))?;
            let pc = u16::try_from(pc).map_err(|_| {
                let (what, value, bytes) = ("pc", pc, 2);
                (line, AsmErrorKind::DoesNotFit { what, value, bytes })
            })?;
            self.bytes.extend(pc.to_be_bytes());
        }
        let class = match &handler.class {
            Some(class) => self.index(line, class)?,
            None => 0,
        };
        self.bytes.extend(class.to_be_bytes());
        Ok(())
    }

    fn attributes(&mut self, items: &mut Items<'_>, attributes: &[At<Attribute>]) -> Located<()> {
        for At { line, item } in attributes {
            let body = self.pool.raw(&item.body).map_err(|kind| (*line, kind))?;
            self.attribute(items, &item.name, &body)?;
        }
        Ok(())
    }

    fn attribute(&mut self, items: &mut Items<'_>, name: &str, body: &[u8]) -> Located<()> {
        let text = Constant::Utf8(unescaped(name));
        self.reference(items, &format!("{name}.attribute_name_index"), &text)?;
        self.count(items, &format!("{name}.attribute_length"), body.len(), 4)?;
        self.bytes.extend(body);
        Ok(())
    }
}
