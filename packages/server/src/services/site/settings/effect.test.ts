import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { declarationOf, isShownSetting, type SettingKey, settingKeys } from '@tollgate/contract';
import { expect, it } from 'vitest';

const packages = join(import.meta.dirname, '../../../../../');

const sourceOf = (folder: string): string =>
  globSync(`${folder}/src/**/*.{ts,tsx}`, { cwd: packages })
    .filter((name) => !/\.test\.tsx?$|\/testing\//.test(name))
    .map((name) => readFileSync(join(packages, name), 'utf8'))
    .join('\n');

const server = sourceOf('server');
const web = sourceOf('web');

/** True if the server's source contains the key. Keys of a family are read from a list of their names. */
const isReadByServer = (key: string): boolean => server.includes(`'${key}'`);

/** The keys that docs/compatibility.md#options lists as without effect, each with a reason. */
function excused(): string[] {
  const page = readFileSync(join(packages, '../docs/compatibility.md'), 'utf8');
  const table = /\| Without effect \| Why \|\n\| --- \| --- \|\n((?:\|.*\n)+)/.exec(page)?.[1] ?? '';
  return table
    .trim()
    .split('\n')
    .flatMap((row) => {
      const [, names = '', why = ''] = row.split('|');
      return why.trim().length > 20 ? [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name) : [];
    });
}

it('every setting on the settings page is read by the server, or by the console from the status', () => {
  const withoutEffect = settingKeys.filter((key) => {
    if (!isShownSetting(key) || isReadByServer(key)) return false;
    const { publicAs } = declarationOf(key);
    return publicAs === undefined || !new RegExp(`\\b${publicAs}\\b`).test(web);
  });
  expect(withoutEffect).toEqual([]);
});

it('every other setting is listed with its reason, and no setting that has an effect is', () => {
  const hidden = settingKeys.filter((key) => !isShownSetting(key));
  expect(excused().toSorted()).toEqual([...hidden].toSorted());
});

it('what is listed as without effect is read nowhere, except switches that must count as off', () => {
  const read = excused().filter((key) => isReadByServer(key) && declarationOf(key as SettingKey).unused);
  expect(read).toEqual([]);
});
