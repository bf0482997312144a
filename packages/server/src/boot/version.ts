import { readFileSync } from 'node:fs';

const packageFile = JSON.parse(
  readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'),
) as {
  version: string;
};

/** The version of this installation, from package.json. */
export const version = `v${packageFile.version}`;
