// Redocly's lint finds no error in the document. Its rules are the recommended ones, but for paths that end in a slash: those are
// the tracker's, whose SDKs know them so.

import fs from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [packages, document] = process.argv.slice(2);
const require = createRequire(join(packages, "package.json"));
const { createConfig, lintFromString } = await import(pathToFileURL(require.resolve("@redocly/openapi-core")));

const config = await createConfig({ extends: ["recommended"], rules: { "no-path-trailing-slash": "off" } });
const source = fs.readFileSync(document, "utf8");
const problems = await lintFromString({ source, absoluteRef: document, config });
const errors = problems.filter((problem) => problem.severity === "error");
for (const error of errors) {
  console.error(error.ruleId, error.message, error.location[0]?.pointer);
}
process.exitCode = errors.length > 0 ? 1 : 0;
console.log(`${errors.length} errors in ${Object.keys(JSON.parse(source).paths).length} paths`);
