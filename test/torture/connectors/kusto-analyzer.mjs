// Reads { tables: { NAME: "column: type, …" }, query } on the input; writes the errors that Microsoft's language service finds.
// Usage: node kusto-analyzer.mjs FOLDER of @kusto/language-service-next. In a process of its own: the service defines globals.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInThisContext } from 'node:vm';

const folder = process.argv[2] ?? '';
for (const file of ['bridge.min.js', 'Kusto.Language.Bridge.min.js'])
  runInThisContext(readFileSync(join(folder, file), 'utf8'), { filename: file });
const { Kusto } = globalThis;
const { TableSymbol, DatabaseSymbol } = Kusto.Language.Symbols;
const { tables, query } = JSON.parse(readFileSync(0, 'utf8'));
const symbols = Object.entries(tables).map(([name, columns]) => TableSymbol.From(`(${columns})`).WithName(name));
const globals = Kusto.Language.GlobalState.Default.WithDatabase(new DatabaseSymbol.$ctor2('db', null, symbols, false));
const found = Kusto.Language.KustoCode.ParseAndAnalyze(query, globals).GetDiagnostics();
const errors = [];
for (let index = 0; index < found.Count; index++) errors.push(found.getItem(index).Message);
console.log(JSON.stringify(errors));
