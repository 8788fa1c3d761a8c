//! Prints the ops of a method as statements.

use jive_core::compiled::{Element, Form, Source, Target};
use jive_core::{ArrayKind, BinaryOperator, Comparison};

use super::exits::Why;
use super::{Kind, Printer, Step};

impl Printer<'_, '_> {
    pub(super) fn op(&mut self, op: usize, block: usize, steps: &mut Vec<Step>) {
        let method = self.method;
        let form = &method.ops[op];
        let prepaid = self.prepaid;
        match form {
            Form::Const { to, value } => self.line(&format!("r{to} = {value};")),
            Form::Move { to, from } => self.line(&format!("r{to} = r{from};")),
            Form::Rotate { count: 0, .. } => {}
            Form::Rotate { first, count, last } => {
                let (count, last) = (u32::from(*count), u32::from(*last));
                let place = |at: u32| u32::from(*first) + at;
                let to: Vec<String> = (0..count).map(|at| format!("r{}", place(at))).collect();
                let from =
                    (0..count).map(|at| format!("r{}", place((at + count - last % count) % count)));
                let from: Vec<String> = from.collect();
                self.line(&format!("({},) = ({},);", to.join(", "), from.join(", ")));
            }
            Form::Binary {
                operator,
                to,
                left,
                right,
            } => self.binary(op, *operator, (*to, *left), right),
            Form::Negate { to, from } => self.line(&format!("r{to} = r{from}.wrapping_neg();")),
            Form::Narrow { to, from, by } => self.line(&format!(
                "r{to} = c::shift_right(c::shift_left(r{from}, {by}), {by});"
            )),
            Form::Load {
                element,
                to,
                array,
                index,
                offset,
            } => {
                let load = match element {
                    Element::Byte => "load_byte",
                    Element::Unsigned => "load_unsigned",
                    Element::Short => "load_short",
                    Element::Int => "load_int",
                };
                let index = element_index(*index, *offset);
                let load = format!("c::{load}(heap, r{array}, {index})");
                self.some(op, *to, &load, Why::Element(*array));
            }
            Form::Store {
                element,
                array,
                index,
                offset,
                value,
            } => {
                let store = match element {
                    Element::Byte | Element::Unsigned => "store_byte",
                    Element::Short => "store_short",
                    Element::Int => "store_int",
                };
                let index = element_index(*index, *offset);
                let exit = self.exit(op, Why::Element(*array));
                self.line(&format!(
                    "if c::{store}(heap, r{array}, {index}, r{value}).is_none() {{ {exit} }}"
                ));
            }
            Form::Length { to, array } => {
                let load = format!("c::length(heap, r{array})");
                self.some(op, *to, &load, Why::Element(*array));
            }
            Form::NewArray { kind, to, length } => {
                let kind = match kind {
                    ArrayKind::Boolean => "Boolean",
                    ArrayKind::Byte => "Byte",
                    ArrayKind::Short => "Short",
                    ArrayKind::Int => "Int",
                };
                let make = format!("run.allocate(heap, k::ArrayKind::{kind}, r{length})");
                self.some(op, *to, &make, Why::Length(*length));
            }
            Form::RejectNull { reference } => {
                let exit = self.exit(op, Why::Element(*reference));
                self.line(&format!("if r{reference} == 0 {{ {exit} }}"));
            }
            Form::GetField { to, field } => self.line(&format!("r{to} = fields[{field}];")),
            Form::PutField { field, value } => self.line(&format!("fields[{field}] = r{value};")),
            Form::PutReference { field, value } => {
                let exit = self.exit(op, Why::Escape);
                self.line(&format!("if run.is_transient(r{value}) {{ {exit} }}"));
                self.line(&format!("fields[{field}] = r{value};"));
            }
            Form::Jump(to) => {
                self.pay(op, *to);
                let to = self.block_of(*to);
                steps.push(Step::Go { from: block, to });
            }
            Form::Branch {
                comparison,
                left,
                right,
                to,
            } => {
                let compare = match comparison {
                    Comparison::Equal => "==",
                    Comparison::NotEqual => "!=",
                    Comparison::Less => "<",
                    Comparison::AtLeast => ">=",
                    Comparison::Greater => ">",
                    Comparison::AtMost => "<=",
                };
                self.open(&format!("if r{left} {compare} {} {{", source(right)));
                self.pay(op, *to);
                let to = self.block_of(*to);
                steps.push(Step::Go {
                    from: block,
                    to: block + 1,
                });
                steps.push(Step::Close);
                steps.push(Step::Go { from: block, to });
            }
            Form::Switch {
                key,
                default,
                cases,
            } => {
                self.open(&format!("match r{key} {{"));
                steps.push(Step::Close);
                let mut arms: Vec<(Target, Vec<i32>)> = Vec::new();
                for case in cases.iter() {
                    match arms.iter_mut().find(|(to, _)| *to == case.to()) {
                        _ if case.to() == default.to() => {}
                        Some((_, keys)) => keys.push(case.key()),
                        None => arms.push((case.to(), vec![case.key()])),
                    }
                }
                self.arm((op, block), "_", default.to(), steps);
                for (to, keys) in arms.into_iter().rev() {
                    let keys: Vec<String> = keys.iter().map(i32::to_string).collect();
                    self.arm((op, block), &keys.join(" | "), to, steps);
                }
            }
            Form::Call {
                method: callee,
                first,
                executed,
            } => self.call(op, *callee, *first, (*executed).into()),
            Form::Native {
                id,
                first,
                arguments,
                result,
            } => {
                let registers = (0..*arguments).map(|at| format!("r{}", first.wrapping_add(at)));
                let registers: Vec<String> = registers.collect();
                // Without an interpreter nobody could wait for a native.
                let how = match self.kind {
                    Kind::Standalone { .. } => "perform",
                    Kind::Whole | Kind::Behind => "native",
                };
                let behind = prepaid - i64::from(method.ends[op]);
                let call = format!(
                    "run.{how}(heap, {id}, &[{}], (&mut budget, {behind}))",
                    registers.join(", ")
                );
                match result {
                    Some(to) => self.some(op, *to, &call, Why::Native),
                    None => {
                        let exit = self.exit(op, Why::Native);
                        self.line(&format!("if {call}.is_none() {{ {exit} }}"));
                    }
                }
            }
            Form::Return { value, executed } => {
                let value = value.as_ref().map_or("0".to_owned(), source);
                let back = prepaid - i64::from(*executed);
                self.line(&format!("return (budget.wrapping_add({back}), {value});"));
            }
        }
    }

    /// Prints an arm of a switch. The steps are those of the arms before it, in reverse.
    fn arm(&mut self, (op, block): (usize, usize), keys: &str, to: Target, steps: &mut Vec<Step>) {
        let mut lines = vec![format!("{keys} => {{")];
        if to.cost != 0 {
            lines.push(format!("budget = budget.wrapping_sub({});", to.cost));
        }
        if to.cost > 0 {
            let exit = self.exit(self.op_of(to), self.unpaid(op, to));
            lines.push(format!("if budget < 0 {{ {exit} }}"));
        }
        steps.push(Step::Close);
        steps.push(Step::Go {
            from: block,
            to: self.block_of(to),
        });
        steps.push(Step::Line(lines.join(" ")));
    }

    /// Prints an op that sets a register, or leaves if it would trap.
    fn some(&mut self, op: usize, to: u8, value: &str, why: Why) {
        let exit = self.exit(op, why);
        self.line(&format!("let Some(value) = {value} else {{ {exit} }};"));
        self.line(&format!("r{to} = value;"));
    }

    fn binary(
        &mut self,
        op: usize,
        operator: BinaryOperator,
        (to, left): (u8, u8),
        right: &Source,
    ) {
        let right = source(right);
        let method = match operator {
            BinaryOperator::Add => "wrapping_add",
            BinaryOperator::Subtract => "wrapping_sub",
            BinaryOperator::Multiply => "wrapping_mul",
            BinaryOperator::Divide => {
                let divide = format!("c::divide(r{left}, {right})");
                return self.some(op, to, &divide, Why::Division);
            }
            BinaryOperator::Remainder => {
                let divide = format!("c::remainder(r{left}, {right})");
                return self.some(op, to, &divide, Why::Division);
            }
            BinaryOperator::ShiftLeft => {
                return self.line(&format!("r{to} = c::shift_left(r{left}, {right});"));
            }
            BinaryOperator::ShiftRight => {
                return self.line(&format!("r{to} = c::shift_right(r{left}, {right});"));
            }
            BinaryOperator::ShiftRightUnsigned => {
                let shift = format!("r{to} = c::shift_right_unsigned(r{left}, {right});");
                return self.line(&shift);
            }
            BinaryOperator::And => return self.line(&format!("r{to} = r{left} & {right};")),
            BinaryOperator::Or => return self.line(&format!("r{to} = r{left} | {right};")),
            BinaryOperator::Xor => return self.line(&format!("r{to} = r{left} ^ {right};")),
        };
        self.line(&format!("r{to} = r{left}.{method}({right});"));
    }

    fn call(&mut self, op: usize, callee: u16, first: u8, executed: i64) {
        let here = self.exit(op, Why::Depth);
        let Some(signature) = self.signatures.get(usize::from(callee)) else {
            return self.line(&here);
        };
        if signature.printed.is_err() {
            return self.line(&here);
        }
        let result = signature.callee.has_result.then_some(first);
        let heap = if signature.needs_heap { "heap, " } else { "" };
        let fields = if signature.needs_fields {
            "fields, "
        } else {
            ""
        };
        let arguments = (0..signature.callee.arguments)
            .map(|at| format!(", r{}", first.wrapping_add(at)))
            .collect::<String>();
        // What the caller has paid for behind the call, which the callee receives for the time being.
        let behind = self.prepaid - executed;
        let left = self.exit_behind(op, result);
        // Without an interpreter a call has no slots.
        let offset = match self.kind {
            Kind::Standalone { .. } => 0,
            Kind::Whole | Kind::Behind => first,
        };
        let next = self.exit(op + 1, Why::Fuel { executed });
        self.line(&format!("if !run.has_room(place) {{ {here} }}"));
        self.line(&format!(
            "let (left, value) = m{callee}(run, {heap}{fields}budget.wrapping_add({behind}), \
             place.wrapping_add(c::CALL + {offset}){arguments});"
        ));
        self.line(&format!("budget = left.wrapping_sub({behind});"));
        self.open("if budget < 0 {");
        self.line(&format!("if left < 0 {{ {left} }}"));
        if let Some(to) = result {
            self.line(&format!("r{to} = value;"));
        }
        self.line(&next);
        self.depth -= 1;
        self.line("}");
        if let Some(to) = result {
            self.line(&format!("r{to} = value;"));
        }
    }
}

fn source(source: &Source) -> String {
    match source {
        Source::Register(register) => format!("r{register}"),
        Source::Constant(value) if *value < 0 => format!("({value})"),
        Source::Constant(value) => value.to_string(),
    }
}

fn element_index(index: u8, offset: i32) -> String {
    match offset {
        0 => format!("r{index}"),
        offset => format!("r{index}.wrapping_add({offset})"),
    }
}
