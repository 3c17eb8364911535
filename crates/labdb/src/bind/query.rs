//! SELECT: select lists, grouping, windows, order, set operations, common tables.

use super::aggregates::{
    Grouping, aggregate_of, collect_aggregates, collect_windows, order_expressions,
};
use super::expression::unify;
use super::{Binder, CommonTable, Scope, duplicate_name};
use crate::catalog::fold;
use crate::plan::window::{WindowCall, WindowFunction};
use crate::plan::{Aggregate, AggregateKind, Node, Plan, Query, SortKey, Typed};
use labdb_tsql::ast::{
    self, Expr, FunctionCall, OrderItem, QueryBody, SelectItem, SelectQuery, SetOp,
};
use labdb_types::{Column, SqlError, SqlResult, SqlType, Value};

/// A bound body before its order.
struct Body {
    plan: Plan,
    columns: Vec<Column>,
}

impl Binder<'_> {
    /// Binds a query inside another one, whose columns it can see.
    pub(crate) fn bind_query(
        &self,
        query: &ast::Query,
        parent: Option<&Scope<'_>>,
    ) -> SqlResult<Query> {
        let before = self.max_recursion.get();
        for (name, value) in &query.options {
            if name == "MAXRECURSION" {
                self.max_recursion.set(value.unwrap_or(100));
            }
        }
        let bound = self.with_common(&query.with, || self.ordered(query, parent));
        self.max_recursion.set(before);
        bound
    }

    fn ordered(&self, query: &ast::Query, parent: Option<&Scope<'_>>) -> SqlResult<Query> {
        let mut bound = match &query.body {
            QueryBody::Select(select) => {
                self.select(select, &query.order_by, query.offset.is_some(), parent)?
            }
            other => {
                let body = self.body(other, parent)?;
                self.order_output(body, &query.order_by)?
            }
        };
        if let Some(skip) = &query.offset {
            let scope = Scope::inside(parent);
            let skip = self.expression(skip, &scope)?.coerced(SqlType::BigInt)?;
            let fetch = match &query.fetch {
                Some(fetch) => Some(self.expression(fetch, &scope)?.coerced(SqlType::BigInt)?),
                None => None,
            };
            bound.plan = Plan::Offset {
                input: Box::new(bound.plan),
                skip,
                fetch,
            };
        }
        Ok(bound)
    }

    fn body(&self, body: &QueryBody, parent: Option<&Scope<'_>>) -> SqlResult<Body> {
        match body {
            QueryBody::Select(select) => {
                let bound = self.select(select, &[], false, parent)?;
                Ok(Body {
                    plan: bound.plan,
                    columns: bound.columns,
                })
            }
            QueryBody::Nested(query) => {
                let bound = self.bind_query(query, parent)?;
                Ok(Body {
                    plan: bound.plan,
                    columns: bound.columns,
                })
            }
            QueryBody::Set {
                op,
                all,
                left,
                right,
            } => {
                let (left, right) = (self.body(left, parent)?, self.body(right, parent)?);
                if left.columns.len() != right.columns.len() {
                    return Err(SqlError::new(
                        205,
                        "All queries combined using a UNION, INTERSECT or EXCEPT operator must \
                         have an equal number of expressions in their target lists.",
                    ));
                }
                let mut columns = Vec::with_capacity(left.columns.len());
                let (mut convert_left, mut convert_right) = (Vec::new(), Vec::new());
                for (at, (a, b)) in left.columns.iter().zip(&right.columns).enumerate() {
                    let (x, y) = (
                        Typed::column(at, a.sql_type, a.nullable),
                        Typed::column(at, b.sql_type, b.nullable),
                    );
                    let common = match (
                        is_null_column(&left.plan, at),
                        is_null_column(&right.plan, at),
                    ) {
                        (true, false) => b.sql_type,
                        (false, true) => a.sql_type,
                        _ => crate::eval::types::common_type(a.sql_type, b.sql_type)?,
                    };
                    columns.push(Column {
                        name: a.name.clone(),
                        sql_type: common,
                        nullable: a.nullable || b.nullable,
                        identity: false,
                    });
                    convert_left.push(x.coerced(common)?);
                    convert_right.push(y.coerced(common)?);
                }
                let adjust = |plan: Plan, old: &[Column], by: Vec<Typed>| {
                    if old
                        .iter()
                        .zip(&columns)
                        .all(|(o, n)| o.sql_type == n.sql_type)
                    {
                        plan
                    } else {
                        Plan::Project(Box::new(plan), by)
                    }
                };
                let (l, r) = (
                    adjust(left.plan, &left.columns, convert_left),
                    adjust(right.plan, &right.columns, convert_right),
                );
                let plan = match op {
                    SetOp::Union if *all => Plan::Concat(Box::new(l), Box::new(r)),
                    SetOp::Union => {
                        Plan::Distinct(Box::new(Plan::Concat(Box::new(l), Box::new(r))))
                    }
                    SetOp::Except => Plan::Matching {
                        left: Box::new(l),
                        right: Box::new(r),
                        keep: false,
                    },
                    SetOp::Intersect => Plan::Matching {
                        left: Box::new(l),
                        right: Box::new(r),
                        keep: true,
                    },
                };
                Ok(Body { plan, columns })
            }
        }
    }

    /// ORDER BY over the output of a set operation.
    fn order_output(&self, body: Body, order: &[OrderItem]) -> SqlResult<Query> {
        if order.is_empty() {
            return Ok(Query {
                plan: body.plan,
                columns: body.columns,
            });
        }
        let mut scope = Scope::none();
        for column in &body.columns {
            scope.columns.push(super::ScopeColumn {
                table: String::new(),
                schema: None,
                name: column.name.clone(),
                folded: fold(&column.name),
                sql_type: column.sql_type,
                nullable: column.nullable,
                identity: false,
                hidden: false,
            });
        }
        let mut keys = Vec::with_capacity(order.len());
        for item in order {
            let value = match position(&item.key, body.columns.len())? {
                Some(at) => output_column(&body.columns, at),
                None => self.expression(&item.key, &scope)?,
            };
            keys.push(SortKey {
                value,
                descending: item.descending,
            });
        }
        Ok(Query {
            plan: Plan::Sort(Box::new(body.plan), keys),
            columns: body.columns,
        })
    }

    fn select(
        &self,
        select: &SelectQuery,
        order: &[OrderItem],
        has_offset: bool,
        parent: Option<&Scope<'_>>,
    ) -> SqlResult<Query> {
        let (mut plan, mut scope) = self.from(&select.from, parent)?;
        if let Some(filter) = &select.filter {
            let condition = self.condition(filter, &scope)?;
            plan = super::from::filtered(plan, condition);
        }
        let grouping = self.grouping(select, order, &scope)?;
        if grouping.grouped {
            plan = Plan::Group {
                input: Box::new(plan),
                keys: grouping.keys.clone(),
                aggregates: grouping.aggregates.iter().map(|(_, a)| a.clone()).collect(),
            };
        }
        let whole = scope.clone();
        let mut grouping = grouping;
        if grouping.grouped {
            let inner = grouping.clone();
            let grouped = Scope {
                grouping: Some(&inner),
                ..whole.clone()
            };
            if let Some(having) = &select.having {
                plan = Plan::Filter(Box::new(plan), self.condition(having, &grouped)?);
            }
        } else if select.having.is_some() {
            return Err(SqlError::new(
                8121,
                "HAVING needs GROUP BY or an aggregate.",
            ));
        }
        let calls = self.windows(select, order, &whole, &mut grouping)?;
        if !calls.is_empty() {
            plan = Plan::Window(Box::new(plan), calls);
        }
        let stage = grouping.clone();
        if stage.grouped || !stage.windows.is_empty() {
            scope.grouping = Some(&stage);
        }
        self.project(select, order, has_offset, plan, &scope, parent)
    }

    fn project(
        &self,
        select: &SelectQuery,
        order: &[OrderItem],
        has_offset: bool,
        plan: Plan,
        scope: &Scope<'_>,
        parent: Option<&Scope<'_>>,
    ) -> SqlResult<Query> {
        let (mut values, mut columns) = (Vec::new(), Vec::new());
        for item in &select.items {
            self.select_item(item, scope, &mut values, &mut columns)?;
        }
        let width = values.len();
        let mut keys: Vec<SortKey> = Vec::with_capacity(order.len());
        for item in order {
            let value = self.order_key(item, select, scope, &mut values, &columns, width)?;
            keys.push(SortKey {
                value,
                descending: item.descending,
            });
        }
        let hidden = values.len() > width;
        let mut plan = Plan::Project(Box::new(plan), values);
        if select.distinct {
            if hidden {
                return Err(SqlError::new(
                    145,
                    "ORDER BY items must appear in the select list if SELECT DISTINCT is \
                     specified.",
                )
                .severity(15));
            }
            plan = Plan::Distinct(Box::new(plan));
        }
        if !keys.is_empty() {
            plan = Plan::Sort(Box::new(plan), keys.clone());
        }
        if let Some(top) = &select.top {
            if has_offset {
                return Err(SqlError::new(
                    10741,
                    "A TOP can not be used in the same query or sub-query as a OFFSET.",
                )
                .severity(15));
            }
            if top.with_ties && keys.is_empty() {
                return Err(SqlError::new(
                    1062,
                    "The TOP N WITH TIES clause is not allowed without a corresponding ORDER BY \
                     clause.",
                )
                .severity(15));
            }
            let target = if top.percent {
                SqlType::Float
            } else {
                SqlType::BigInt
            };
            let count = self
                .expression(&top.count, &Scope::inside(parent))?
                .coerced(target)?;
            plan = Plan::Top {
                input: Box::new(plan),
                count,
                percent: top.percent,
                ties: top.with_ties.then_some(keys),
            };
        }
        if hidden {
            plan = Plan::Trim(Box::new(plan), width);
        }
        Ok(Query { plan, columns })
    }

    fn order_key(
        &self,
        item: &OrderItem,
        select: &SelectQuery,
        scope: &Scope<'_>,
        values: &mut Vec<Typed>,
        columns: &[Column],
        width: usize,
    ) -> SqlResult<Typed> {
        if let Some(at) = position(&item.key, width)? {
            return Ok(output_column(columns, at));
        }
        if let Expr::Column(name) = &item.key
            && name.parts.len() == 1
        {
            let wanted = fold(name.object());
            let named = select.items.iter().any(|item| match item {
                SelectItem::Expr {
                    alias: Some(alias), ..
                } => fold(alias) == wanted,
                _ => false,
            });
            if named && let Some(at) = columns.iter().position(|c| fold(&c.name) == wanted) {
                return Ok(output_column(columns, at));
            }
        }
        let value = self.expression(&item.key, scope)?;
        if let Some(at) = values.iter().take(width).position(|v| *v == value) {
            return Ok(output_column(columns, at));
        }
        let (sql_type, nullable) = (value.sql_type, value.nullable);
        values.push(value);
        Ok(Typed::column(values.len() - 1, sql_type, nullable))
    }

    pub(super) fn select_item(
        &self,
        item: &SelectItem,
        scope: &Scope<'_>,
        values: &mut Vec<Typed>,
        columns: &mut Vec<Column>,
    ) -> SqlResult<()> {
        match item {
            SelectItem::Star(table) => {
                let wanted = table.as_ref().map(|t| fold(t.object()));
                let before = values.len();
                for column in &scope.columns {
                    if column.hidden || wanted.as_ref().is_some_and(|w| *w != column.table) {
                        continue;
                    }
                    let parts = if column.table.is_empty() {
                        vec![column.name.clone()]
                    } else {
                        vec![column.table.clone(), column.name.clone()]
                    };
                    let name = ast::ObjectName { parts };
                    let value = self.expression(&Expr::Column(name), scope)?;
                    columns.push(Column {
                        name: column.name.clone(),
                        sql_type: value.sql_type,
                        nullable: value.nullable,
                        identity: column.identity,
                    });
                    values.push(value);
                }
                if values.len() == before {
                    return Err(match table {
                        Some(table) => SqlError::new(
                            107,
                            format!(
                                "The column prefix '{}' does not match with a table name or alias \
                                 name used in the query.",
                                table.parts.join(".")
                            ),
                        )
                        .severity(15),
                        None => {
                            SqlError::new(263, "Must specify table to select from.").severity(15)
                        }
                    });
                }
            }
            SelectItem::Expr { value, alias } => {
                let bound = self.expression(value, scope)?;
                let mut identity = false;
                let name = match (alias, value) {
                    (Some(alias), _) => alias.clone(),
                    (None, Expr::Column(name)) => name.object().to_owned(),
                    _ => String::new(),
                };
                if let Expr::Column(column) = value
                    && let Ok(Some((0, at))) = scope.find(column)
                {
                    let source = scope.columns.get(at);
                    identity = source.is_some_and(|c| c.identity) && scope.grouping.is_none();
                    if alias.is_none() {
                        let name = source.map_or(name, |c| c.name.clone());
                        columns.push(Column {
                            name,
                            sql_type: bound.sql_type,
                            nullable: bound.nullable,
                            identity,
                        });
                        values.push(bound);
                        return Ok(());
                    }
                }
                columns.push(Column {
                    name,
                    sql_type: bound.sql_type,
                    nullable: bound.nullable,
                    identity,
                });
                values.push(bound);
            }
            SelectItem::Assign {
                variable,
                op,
                value,
            } => {
                let target = self
                    .frame
                    .variable_type(variable)
                    .ok_or_else(|| crate::session::Frame::undeclared(variable))?;
                let value = self.expression(value, scope)?;
                let value = crate::exec::assign::combine(*op, variable, target, value)?;
                columns.push(Column::new(variable.clone(), target));
                values.push(value);
            }
        }
        Ok(())
    }

    fn grouping(
        &self,
        select: &SelectQuery,
        order: &[OrderItem],
        scope: &Scope<'_>,
    ) -> SqlResult<Grouping> {
        let mut calls: Vec<&FunctionCall> = Vec::new();
        for item in &select.items {
            if let SelectItem::Expr { value, .. } | SelectItem::Assign { value, .. } = item {
                collect_aggregates(value, &mut calls);
            }
        }
        for key in order_expressions(order) {
            collect_aggregates(key, &mut calls);
        }
        if let Some(having) = &select.having {
            collect_aggregates(having, &mut calls);
        }
        let mut grouping = Grouping {
            grouped: !calls.is_empty() || !select.group_by.is_empty(),
            width: scope.columns.len(),
            ..Grouping::default()
        };
        if !grouping.grouped {
            return Ok(grouping);
        }
        for key in &select.group_by {
            if matches!(key, Expr::Literal(_)) {
                return Err(SqlError::new(
                    164,
                    "Each GROUP BY expression must contain at least one column that is not an \
                     outer reference.",
                )
                .severity(15));
            }
            grouping.keys.push(self.expression(key, scope)?);
        }
        for call in calls {
            let aggregate = self.aggregate(call, scope)?;
            grouping.aggregates.push((call.clone(), aggregate));
        }
        grouping.width = grouping.keys.len() + grouping.aggregates.len();
        Ok(grouping)
    }

    fn aggregate(&self, call: &FunctionCall, scope: &Scope<'_>) -> SqlResult<Aggregate> {
        let name = call.name.object().to_ascii_uppercase();
        let kind = AggregateKind::by_name(&name).ok_or_else(|| {
            SqlError::new(
                195,
                format!("'{name}' is not a recognized built-in function name."),
            )
            .severity(15)
        })?;
        for argument in &call.arguments {
            let mut nested = Vec::new();
            collect_aggregates(argument, &mut nested);
            if !nested.is_empty() {
                return Err(SqlError::new(
                    130,
                    "Cannot perform an aggregate function on an expression containing an \
                     aggregate or a subquery.",
                ));
            }
        }
        let expected = if kind == AggregateKind::StringAgg {
            2
        } else {
            1
        };
        let argument = if call.star {
            None
        } else {
            if call.arguments.len() != expected {
                return Err(SqlError::new(
                    174,
                    format!("The {name} function requires {expected} argument(s)."),
                )
                .severity(15));
            }
            call.arguments
                .first()
                .map(|a| self.expression(a, scope))
                .transpose()?
        };
        let separator = match call.arguments.get(1) {
            Some(separator) => Some(self.expression(separator, scope)?),
            None => None,
        };
        let mut order = Vec::new();
        for item in &call.within_group {
            order.push(SortKey {
                value: self.expression(&item.key, scope)?,
                descending: item.descending,
            });
        }
        Aggregate::new(kind, &name, argument, separator, order, call.distinct)
    }

    fn windows(
        &self,
        select: &SelectQuery,
        order: &[OrderItem],
        scope: &Scope<'_>,
        grouping: &mut Grouping,
    ) -> SqlResult<Vec<WindowCall>> {
        let mut calls: Vec<&FunctionCall> = Vec::new();
        for item in &select.items {
            if let SelectItem::Expr { value, .. } | SelectItem::Assign { value, .. } = item {
                collect_windows(value, &mut calls);
            }
        }
        for key in order_expressions(order) {
            collect_windows(key, &mut calls);
        }
        let before = grouping.clone();
        let inner = Scope {
            grouping: before.grouped.then_some(&before),
            ..scope.clone()
        };
        let mut out = Vec::with_capacity(calls.len());
        for call in calls {
            let bound = self.window(call, &inner)?;
            grouping.windows.push((call.clone(), bound.sql_type));
            out.push(bound);
        }
        Ok(out)
    }

    fn window(&self, call: &FunctionCall, scope: &Scope<'_>) -> SqlResult<WindowCall> {
        let name = call.name.object().to_ascii_uppercase();
        let over = call.over.clone().unwrap_or_default();
        let partition = self.expressions(&over.partition_by, scope)?;
        let mut order = Vec::new();
        for item in &over.order_by {
            order.push(SortKey {
                value: self.expression(&item.key, scope)?,
                descending: item.descending,
            });
        }
        let argument = |at: usize| -> SqlResult<Typed> {
            let argument = call.arguments.get(at).ok_or_else(|| {
                SqlError::new(
                    174,
                    format!("The {name} function requires {} argument(s).", at + 1),
                )
                .severity(15)
            })?;
            self.expression(argument, scope)
        };
        let (function, sql_type) = match name.as_str() {
            "ROW_NUMBER" => (WindowFunction::RowNumber, SqlType::BigInt),
            "RANK" => (WindowFunction::Rank, SqlType::BigInt),
            "DENSE_RANK" => (WindowFunction::DenseRank, SqlType::BigInt),
            "NTILE" => (
                WindowFunction::Ntile(argument(0)?.coerced(SqlType::BigInt)?),
                SqlType::BigInt,
            ),
            "LAG" | "LEAD" => {
                let value = argument(0)?;
                let sql_type = value.sql_type;
                let distance = if call.arguments.len() > 1 {
                    argument(1)?.coerced(SqlType::BigInt)?
                } else {
                    Typed::constant(Value::BigInt(1), SqlType::BigInt)
                };
                let default = if call.arguments.len() > 2 {
                    Some(argument(2)?.coerced(sql_type)?)
                } else {
                    None
                };
                (
                    WindowFunction::Shift {
                        value,
                        distance,
                        default,
                        back: name == "LAG",
                    },
                    sql_type,
                )
            }
            "FIRST_VALUE" | "LAST_VALUE" => {
                let value = argument(0)?;
                let sql_type = value.sql_type;
                (
                    if name == "FIRST_VALUE" {
                        WindowFunction::First(value)
                    } else {
                        WindowFunction::Last(value)
                    },
                    sql_type,
                )
            }
            _ if AggregateKind::by_name(&name).is_some() => {
                let aggregate = self.aggregate(call, scope)?;
                let sql_type = aggregate.sql_type;
                (WindowFunction::Aggregate(aggregate), sql_type)
            }
            _ => {
                return Err(SqlError::new(
                    195,
                    format!("'{name}' is not a recognized function that takes OVER in labdb."),
                )
                .severity(15));
            }
        };
        if order.is_empty() && !matches!(function, WindowFunction::Aggregate(_)) {
            return Err(SqlError::new(
                4112,
                format!("The function '{name}' must have an OVER clause with ORDER BY."),
            )
            .severity(15));
        }
        Ok(WindowCall {
            function,
            partition,
            order,
            frame: over.rows,
            sql_type,
        })
    }

    /// An expression over the rows of a grouped or windowed query, if it is one of their columns.
    pub(crate) fn grouped(
        &self,
        expression: &Expr,
        scope: &Scope<'_>,
        grouping: &Grouping,
    ) -> SqlResult<Option<Typed>> {
        if let Expr::Function(call) = expression {
            if call.over.is_some() {
                if let Some(at) = grouping.windows.iter().position(|(c, _)| c == call) {
                    let sql_type = grouping.windows.get(at).map_or(SqlType::Int, |(_, t)| *t);
                    return Ok(Some(Typed::column(grouping.width + at, sql_type, true)));
                }
                return Ok(None);
            }
            if aggregate_of(call).is_some()
                && let Some((at, (_, aggregate))) = grouping
                    .aggregates
                    .iter()
                    .enumerate()
                    .find(|(_, (c, _))| c == call)
            {
                let nullable = !matches!(
                    aggregate.kind,
                    AggregateKind::Count | AggregateKind::CountRows
                );
                return Ok(Some(Typed::column(
                    grouping.keys.len() + at,
                    aggregate.sql_type,
                    nullable,
                )));
            }
        }
        if !grouping.grouped {
            return Ok(None);
        }
        let plain = Scope {
            grouping: None,
            ..scope.clone()
        };
        if matches!(
            expression,
            Expr::Literal(_) | Expr::Variable(_) | Expr::GlobalVariable(_)
        ) {
            return Ok(None);
        }
        if let Ok(bound) = self.expression(expression, &plain) {
            if let Some(at) = grouping.keys.iter().position(|k| *k == bound) {
                return Ok(Some(Typed::column(at, bound.sql_type, bound.nullable)));
            }
            if let (Expr::Column(name), Node::Column { depth: 0, .. }) = (expression, &bound.node) {
                return Err(SqlError::new(
                    8120,
                    format!(
                        "Column '{}' is invalid in the select list because it is not contained in \
                         either an aggregate function or the GROUP BY clause.",
                        name.parts.join(".")
                    ),
                ));
            }
        }
        Ok(None)
    }

    /// Binds common tables and makes them visible.
    pub(super) fn add_common(&self, tables: &[ast::CommonTable]) -> SqlResult<()> {
        for table in tables {
            let bound = match recursive_parts(table) {
                Some((anchor, step)) => self.recursive(table, anchor, step)?,
                None => {
                    let bound = self.bind_query(&table.query, None)?;
                    CommonTable {
                        plan: bound.plan,
                        columns: named(bound.columns, &table.columns, &table.name)?,
                    }
                }
            };
            self.common.borrow_mut().push((fold(&table.name), bound));
        }
        Ok(())
    }

    fn recursive(
        &self,
        table: &ast::CommonTable,
        anchor: &QueryBody,
        step: &QueryBody,
    ) -> SqlResult<CommonTable> {
        let anchor = self.body(anchor, None)?;
        let columns = named(anchor.columns.clone(), &table.columns, &table.name)?;
        let id = self.recursive_ids.get();
        self.recursive_ids.set(id + 1);
        let working = CommonTable {
            plan: Plan::Working(id),
            columns: columns
                .iter()
                .map(|c| Column {
                    nullable: true,
                    ..c.clone()
                })
                .collect(),
        };
        self.common.borrow_mut().push((fold(&table.name), working));
        let step = self.body(step, None);
        self.common.borrow_mut().pop();
        let step = step?;
        if step.columns.len() != columns.len() {
            return Err(SqlError::new(
                205,
                "All queries combined using a UNION, INTERSECT or EXCEPT operator must have an \
                 equal number of expressions in their target lists.",
            ));
        }
        let mut conversions = Vec::with_capacity(columns.len());
        for (at, (from, to)) in step.columns.iter().zip(&columns).enumerate() {
            if from.sql_type != to.sql_type && !(is_null_column(&step.plan, at)) {
                return Err(SqlError::new(
                    240,
                    format!(
                        "Types don't match between the anchor and the recursive part in column \
                         \"{}\" of recursive query \"{}\".",
                        to.name, table.name
                    ),
                ));
            }
            conversions.push(Typed::column(at, from.sql_type, true).coerced(to.sql_type)?);
        }
        let plan = Plan::Recursive {
            anchor: Box::new(anchor.plan),
            step: Box::new(Plan::Project(Box::new(step.plan), conversions)),
            id,
            limit: self.max_recursion.get(),
        };
        Ok(CommonTable {
            plan,
            columns: columns
                .into_iter()
                .map(|c| Column {
                    nullable: true,
                    ..c
                })
                .collect(),
        })
    }

    /// A common table in FROM.
    pub(super) fn common_source(&self, name: &str) -> Option<(Plan, Vec<Column>)> {
        self.common_table(name).map(|t| (t.plan, t.columns))
    }
}

/// Whether a column of a plan is nothing but the literal NULL.
fn is_null_column(plan: &Plan, at: usize) -> bool {
    match plan {
        Plan::Project(_, values) => values.get(at).is_some_and(Typed::is_null_literal),
        _ => false,
    }
}

fn output_column(columns: &[Column], at: usize) -> Typed {
    columns
        .get(at)
        .map_or_else(Typed::null, |c| Typed::column(at, c.sql_type, c.nullable))
}

/// The place that a literal in ORDER BY means.
fn position(key: &Expr, width: usize) -> SqlResult<Option<usize>> {
    let Expr::Literal(ast::Literal::Integer(digits)) = key else {
        return Ok(None);
    };
    match digits.parse::<usize>() {
        Ok(n) if (1..=width).contains(&n) => Ok(Some(n - 1)),
        _ => Err(SqlError::new(
            108,
            format!(
                "The ORDER BY position number {digits} is out of range of the number of items in \
                 the select list."
            ),
        )
        .severity(15)),
    }
}

/// Gives columns the names that were written behind a table.
pub(super) fn named(
    mut columns: Vec<Column>,
    names: &[String],
    table: &str,
) -> SqlResult<Vec<Column>> {
    if !names.is_empty() {
        if names.len() < columns.len() {
            return Err(SqlError::new(
                8158,
                format!("'{table}' has more columns than were specified in the column list."),
            ));
        }
        if names.len() > columns.len() {
            return Err(SqlError::new(
                8159,
                format!("'{table}' has fewer columns than were specified in the column list."),
            ));
        }
        for (column, name) in columns.iter_mut().zip(names) {
            column.name.clone_from(name);
        }
    }
    if let Some(at) = columns.iter().position(|c| c.name.is_empty()) {
        return Err(SqlError::new(
            8155,
            format!(
                "No column name was specified for column {} of '{table}'.",
                at + 1
            ),
        ));
    }
    if let Some(name) = duplicate_name(&columns) {
        return Err(SqlError::new(
            8156,
            format!("The column '{name}' was specified multiple times for '{table}'."),
        ));
    }
    Ok(columns)
}

/// The anchor and the recursive part of a common table that sees itself.
fn recursive_parts(table: &ast::CommonTable) -> Option<(&QueryBody, &QueryBody)> {
    match &table.query.body {
        QueryBody::Set {
            op: SetOp::Union,
            all: true,
            left,
            right,
        } if mentions(right, &fold(&table.name)) => Some((left, right)),
        _ => None,
    }
}

fn mentions(body: &QueryBody, name: &str) -> bool {
    match body {
        QueryBody::Select(select) => select.from.iter().any(|s| source_mentions(s, name)),
        QueryBody::Nested(query) => mentions(&query.body, name),
        QueryBody::Set { left, right, .. } => mentions(left, name) || mentions(right, name),
    }
}

fn source_mentions(source: &ast::TableSource, name: &str) -> bool {
    match source {
        ast::TableSource::Table { name: table, .. } => {
            table.parts.len() == 1 && fold(table.object()) == name
        }
        ast::TableSource::Join { left, right, .. }
        | ast::TableSource::Apply { left, right, .. } => {
            source_mentions(left, name) || source_mentions(right, name)
        }
        ast::TableSource::Derived { query, .. } => mentions(&query.body, name),
        _ => false,
    }
}

/// For VALUES tables: one type per column.
pub(super) fn unify_rows(rows: Vec<Vec<Typed>>) -> SqlResult<(Vec<Vec<Typed>>, Vec<SqlType>)> {
    let width = rows.first().map_or(0, Vec::len);
    if rows.iter().any(|r| r.len() != width) {
        return Err(SqlError::new(
            10709,
            "The number of columns for each row in a table value constructor must be the same.",
        )
        .severity(15));
    }
    let mut by_column: Vec<Vec<Typed>> =
        (0..width).map(|_| Vec::with_capacity(rows.len())).collect();
    for row in rows {
        for (column, value) in by_column.iter_mut().zip(row) {
            column.push(value);
        }
    }
    let mut types = Vec::with_capacity(width);
    let mut unified = Vec::with_capacity(width);
    for column in by_column {
        let (values, sql_type) = unify(column)?;
        types.push(sql_type);
        unified.push(values.into_iter());
    }
    let count = unified.first().map_or(0, ExactSizeIterator::len);
    let rows = (0..count)
        .map(|_| unified.iter_mut().filter_map(Iterator::next).collect())
        .collect();
    Ok((rows, types))
}
