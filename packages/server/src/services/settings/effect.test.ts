import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { declarationOf, isShownSetting, settingKeys } from '@tollgate/contract';
import { expect, it } from 'vitest';

const packages = join(import.meta.dirname, '../../../../');

const sourceOf = (folder: string): string =>
  globSync(`${folder}/src/**/*.{ts,tsx}`, { cwd: packages })
    .filter((name) => !/\.test\.tsx?$|\/testing\//.test(name))
    .map((name) => readFileSync(join(packages, name), 'utf8'))
    .join('\n');

const server = sourceOf('server');
const web = sourceOf('web');

it('every setting on the settings page is read by the server, or by the console from the status', () => {
  const withoutEffect = settingKeys.filter((key) => {
    if (!isShownSetting(key) || server.includes(`'${key}'`)) return false;
    const { publicAs } = declarationOf(key);
    return publicAs === undefined || !new RegExp(`\\b${publicAs}\\b`).test(web);
  });
  expect(withoutEffect).toEqual([]);
});
