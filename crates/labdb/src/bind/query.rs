//! SELECT: its clauses in their order, ORDER BY, TOP and OFFSET.

use super::{Binder, Scope};
use crate::catalog::fold;
use crate::plan::{Plan, Query, SortKey, Typed};
use labdb_tsql::ast::{self, Expr, OrderItem, QueryBody, SelectItem, SelectQuery};
use labdb_types::{Column, SqlError, SqlResult, SqlType};

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

    /// ORDER BY over the output of a set operation.
    fn order_output(&self, body: Query, order: &[OrderItem]) -> SqlResult<Query> {
        if order.is_empty() {
            return Ok(body);
        }
        let mut scope = Scope::none();
        for column in &body.columns {
            scope.columns.push(super::ScopeColumn {
                table: String::new(),
                shown: "".into(),
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

    pub(super) fn select(
        &self,
        select: &SelectQuery,
        order: &[OrderItem],
        has_offset: bool,
        parent: Option<&Scope<'_>>,
    ) -> SqlResult<Query> {
        let (mut plan, mut scope) = self.from(&select.from, parent)?;
        if let Some(filter) = &select.filter {
            let condition = self.condition(filter, &scope)?;
            plan = super::push_down::filtered(plan, condition);
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
        let (plan, order) = self.sorted_for_assignment(select, order, plan, scope)?;
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

    /// Sorts the rows before the select list where it assigns: what a row assigns may use what the
    /// rows before it did (`@names = @names + name`). What is still to be sorted by is given back.
    fn sorted_for_assignment<'o>(
        &self,
        select: &SelectQuery,
        order: &'o [OrderItem],
        plan: Plan,
        scope: &Scope<'_>,
    ) -> SqlResult<(Plan, &'o [OrderItem])> {
        let assigns = |item: &SelectItem| matches!(item, SelectItem::Assign { .. });
        let by_place = |item: &OrderItem| matches!(item.key, Expr::Literal(_));
        if order.is_empty()
            || !select.items.iter().any(assigns)
            || order.iter().any(by_place)
            || select.top.as_ref().is_some_and(|top| top.with_ties)
        {
            return Ok((plan, order));
        }
        let mut keys = Vec::with_capacity(order.len());
        for item in order {
            keys.push(SortKey {
                value: self.expression(&item.key, scope)?,
                descending: item.descending,
            });
        }
        Ok((Plan::Sort(Box::new(plan), keys), &[]))
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
