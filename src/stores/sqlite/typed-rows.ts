/** Rows of a statement, whose columns are those of the type. */
export function rowsAs<Row>(rows: unknown): Row[] {
  return rows as Row[];
}

export function rowAs<Row>(row: unknown): Row {
  return row as Row;
}
