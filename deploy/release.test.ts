import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { version as shownVersion } from '../packages/server/src/boot/version.ts';

const root = join(import.meta.dirname, '..');
const scratch = mkdtempSync(join(tmpdir(), 'release-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const { version, scripts } = JSON.parse(read('package.json')) as {
  version: string;
  scripts: Record<string, string>;
};

describe('the version', () => {
  it('is in one place: what is shown comes from it, and no other file has one of its own', () => {
    expect(shownVersion).toBe(`v${version}`);
    const parts = globSync('packages/*/package.json', { cwd: root }).map(
      (path) => JSON.parse(read(path)) as { version: string; private: boolean },
    );
    expect(parts.length).toBe(4);
    for (const part of parts) expect(part).toMatchObject({ version: '0.0.0', private: true });
  });

  /** Output for a tag, from the sources with some change log. */
  function notes(tag: string, log: string) {
    for (const folder of ['tools', 'packages']) mkdirSync(join(scratch, folder), { recursive: true });
    for (const file of ['package.json', 'tools/release-notes.mjs', 'tools/sources.mjs'])
      copyFileSync(join(root, file), join(scratch, file));
    writeFileSync(join(scratch, 'CHANGELOG.md'), log);
    const command = [join(scratch, 'tools/release-notes.mjs'), tag];
    const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8' });
    return { status, text: stdout + stderr };
  }

  it('heads the change log, and only a dated part of it for its own tag is released', () => {
    const log = read('CHANGELOG.md');
    expect(/^## (\S+)/m.exec(log)?.[1]).toBe(version);
    const dated = log.replace(/^## \S+ .*$/m, `## ${version} (2026-01-31)`);
    const undated = log.replace(/^## \S+ .*$/m, `## ${version} (unreleased)`);
    expect(notes(`v${version}`, dated)).toEqual({ status: 0, text: expect.stringMatching(/^\w/) });
    expect(notes(`v${version}`, undated)).toEqual({ status: 1, text: expect.stringContaining('has no') });
    expect(notes('v9.9.9', dated)).toEqual({ status: 1, text: expect.stringContaining('not the version') });
  });
});

interface Step {
  uses?: string;
  run?: string;
}

interface Workflow {
  on: object;
  permissions: Record<string, string>;
  jobs: Record<
    string,
    {
      uses?: string;
      'timeout-minutes'?: number;
      strategy?: { matrix: { part: string[] } };
      steps?: Step[];
    }
  >;
}

const workflows = globSync('.github/workflows/*.yml', { cwd: root });
const parsed = (path: string) => parse(read(path)) as Workflow;

describe.each(workflows)('%s', (path) => {
  const { on, permissions, jobs } = parsed(path);
  const all = Object.values(jobs);
  const steps = all.flatMap((job) => job.steps ?? []);

  it('may write only what a job asks for, and ends', () => {
    expect(Object.keys(on).length).toBeGreaterThan(0);
    expect(Object.values(permissions).filter((one) => one !== 'read')).toEqual([]);
    for (const job of all) expect(job.uses ?? job['timeout-minutes']).toBeTruthy();
  });

  it('uses actions by their commit, with the version that it is, and workflows that are here', () => {
    const used = [...read(path).matchAll(/uses: (.*)$/gm)].map((each) => each[1]!);
    expect(used.length).toBeGreaterThan(0);
    const isKnown = (one: string) =>
      one.startsWith('./')
        ? existsSync(join(root, one))
        : /^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(one);
    expect(used.filter((one) => !isKnown(one))).toEqual([]);
  });

  it('runs scripts that are here, by shells that can read them, without texts of strangers', () => {
    for (const { run } of steps) {
      if (run === undefined) continue;
      for (const [file] of run.matchAll(/(?:tools|deploy|\.ci)\/[\w.-]+/g))
        expect(existsSync(join(root, file)), file).toBe(true);
      for (const [, script] of run.matchAll(/npm run (?:--\S+ )*([\w:-]+)/g))
        expect(scripts, run).toHaveProperty(script!);
      expect(spawnSync('bash', ['-n'], { input: run, encoding: 'utf8' }).stderr).toBe('');
      expect(run).not.toMatch(/\$\{\{(?! matrix\.)/);
    }
    for (const part of all.flatMap((job) => job.strategy?.matrix.part ?? []))
      expect(scripts).toHaveProperty([part]);
  });
});

it('a change is checked in all parts of the suite, and so is a release', () => {
  expect(parsed('.github/workflows/check.yml').jobs.run?.strategy?.matrix.part).toEqual([
    'check',
    'test',
    'test:deep',
  ]);
  const { jobs } = parsed('.github/workflows/release.yml');
  expect(jobs).toMatchObject({
    check: { uses: './.github/workflows/check.yml' },
    release: { needs: 'check', permissions: { 'id-token': 'write', attestations: 'write' } },
  });
  const text = read('.github/workflows/release.yml');
  for (const word of [
    '--arch=x64',
    '--arch=arm64',
    '--npm',
    'linux/amd64,linux/arm64',
    '--sbom=true',
    'sbom.cdx.json',
  ])
    expect(text).toContain(word);
});

it('images have a digest, or the bot that updates packages gives them one', () => {
  const { extends: rules } = JSON.parse(read('.github/renovate.json')) as { extends: string[] };
  const files = ['Dockerfile', ...globSync('compose*.yaml', { cwd: root }), ...workflows];
  const images = files.flatMap((file) =>
    Array.from(
      read(file).matchAll(/^(?:FROM (?:--\S+ )?| +(?:image|container): )(\S+)/gm),
      (each) => each[1]!,
    ),
  );
  expect(images.length).toBeGreaterThan(5);
  // Digests cannot be known without a network: this preset pins images and actions.
  expect(rules).toContain('config:best-practices');
  for (const image of images.filter((each) => !each.includes('@sha256:')))
    expect(image).toMatch(/^[\w./-]+:[\w.-]+$/);
});

it('issue forms ask for something, and each answer has a name', () => {
  const forms = globSync('.github/ISSUE_TEMPLATE/!(config).yml', { cwd: root });
  expect(forms.length).toBe(2);
  for (const path of forms) {
    const form = parse(read(path)) as {
      name: string;
      description: string;
      body: { type: string; id: string }[];
    };
    expect([form.name, form.description]).toEqual([expect.any(String), expect.any(String)]);
    const ids = form.body.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { type } of form.body) expect(['input', 'dropdown', 'textarea']).toContain(type);
  }
});

it('packages that are delivered have licences that allow it', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { license?: string; dev?: boolean; devOptional?: boolean; link?: boolean }>;
  };
  const allowed =
    /^(?:MIT|MIT-0|ISC|0BSD|Apache-2\.0|BSD-[23]-Clause|BlueOak-1\.0\.0|OFL-1\.1|Unlicense|CC0-1\.0)$/;
  const delivered = Object.entries(packages).filter(
    ([path, { dev, devOptional, link }]) =>
      path.startsWith('node_modules/') &&
      !(dev || devOptional || link) &&
      // Installed with the bundler, and writes the style sheets; the output contains none of its code.
      !path.startsWith('node_modules/lightningcss'),
  );
  expect(delivered.length).toBeGreaterThan(100);
  // One of several licences may be chosen.
  const choices = (licence = '') => licence.replaceAll(/[()]/g, '').split(' OR ');
  // A package that names no licence has the text of one.
  const written = (path: string): string =>
    existsSync(join(root, path, 'LICENSE'))
      ? (/^(\w+) License/.exec(read(`${path}/LICENSE`))?.[1] ?? '')
      : '';
  const refused = delivered.filter(
    ([path, { license = written(path) }]) => !choices(license).some((one) => allowed.test(one)),
  );
  expect(refused.map(([path, { license }]) => `${path}: ${license}`)).toEqual([]);
});
