// Prints the change-log entry of a version, for its release: `release-notes.mjs v1.2.3`. Fails if the tag is not
// the version of the sources, or if the change log has no dated entry for it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './sources.mjs';

const [tag] = process.argv.slice(2);
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const parts = readFileSync(join(root, 'CHANGELOG.md'), 'utf8').split(/^## /m);
const found = parts.find((part) => part.startsWith(`${version} `));
const fault =
  tag !== `v${version}`
    ? `The tag ${tag} is not the version, which is ${version}.`
    : !/^\S+ \(\d{4}-\d\d-\d\d\)\n/.test(found ?? '')
      ? `CHANGELOG.md has no "## ${version} (year-month-day)".`
      : '';
if (fault) {
  console.error(fault);
  process.exit(1);
}
console.log(found.slice(found.indexOf('\n')).trim());
