// Says what is wrong with a Dockerfile, a line each.
import { readFileSync } from "node:fs";
import { validate, ValidationSeverity } from "dockerfile-utils";

const warn = ValidationSeverity.WARNING;
const problems = validate(readFileSync(process.argv[2], "utf8"), {
  deprecatedMaintainer: warn, directiveCasing: warn, emptyContinuationLine: warn, instructionCasing: warn, instructionCmdMultiple: warn,
  instructionEntrypointMultiple: warn, instructionHealthcheckMultiple: warn, instructionJSONInSingleQuotes: warn, instructionWorkdirRelative: warn,
});
for (const p of problems) console.log(`${p.range.start.line + 1}: ${p.message}`);
