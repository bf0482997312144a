import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { fail } from './shared/fail.ts';
import { readLitellmConfig } from './shared/litellm-config.ts';
import { type Site, siteOptions, siteVariables, withSite } from './shared/site-calls.ts';
import { applyChanges, findChanges, readFile, readSiteFile, type SiteFile } from './shared/site-file.ts';

const usage = `Keeps the configuration of a site in a file: channels, settings with prices and groups, budgets of groups and models.

  site export FILE        writes the file; keys and other secrets are left out
  site diff FILE          prints what the site lacks; exits with 2 if that is anything
  site apply FILE         prints the same; with --yes makes the changes
  site from-litellm CONFIG FILE
                          writes the models of LiteLLM's config.yaml as such a file, and says what it leaves out

--json prints the changes as JSON. Nothing is deleted: what is missing from the file stays as it is. {"env": "NAME"} in place of
a value reads it from a variable; a secret that the site already has is sent again with --secrets only.
${siteVariables}`;

/** Only its owner may read it: a configuration may contain keys. */
const writeSiteFile = (path: string, file: SiteFile): void =>
  writeFileSync(path, `${JSON.stringify(file, null, 2)}\n`, { mode: 0o600 });

const options = {
  ...siteOptions,
  yes: { type: 'boolean' },
  json: { type: 'boolean' },
  secrets: { type: 'boolean' },
  help: { type: 'boolean' },
} as const;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const [command, path, target] = positionals;
  if (values.help || command === undefined) return void process.stdout.write(usage);
  if (!['export', 'diff', 'apply', 'from-litellm'].includes(command))
    throw new Error(`there is no command ${command}`);
  if (path === undefined) throw new Error('the name of the file is missing');
  await withSite(values, async (site) => {
    if (command === 'export') writeSiteFile(path, await readSiteFile(site));
    else if (command === 'from-litellm') await readLitellm(site, path, target);
    else await compare(site, path, { ...values, isMade: command === 'apply' && values.yes === true });
  });
}

async function readLitellm(site: Site, path: string, target: string | undefined): Promise<void> {
  if (target === undefined) throw new Error('the name of the file to write is missing');
  const { settings } = await readSiteFile(site);
  const { file, notes } = readLitellmConfig(readFileSync(path, 'utf8'), settings);
  writeSiteFile(target, file);
  for (const note of notes) process.stdout.write(`${note}\n`);
  process.stdout.write(`Channels: ${Object.keys(file.channels).length}. Next: site diff ${target}\n`);
}

/** Prints what the site lacks of a file, and makes the changes if wanted. */
async function compare(
  site: Site,
  path: string,
  { isMade, json, secrets }: { isMade: boolean; json?: boolean; secrets?: boolean },
): Promise<void> {
  const file = readFile(readFileSync(path, 'utf8'));
  const changes = await findChanges(site, file, { withSecrets: secrets === true });
  const say = (line: string) => {
    if (!json) process.stdout.write(`${line}\n`);
  };
  if (json) {
    const shown = changes.map(({ kind, name, differences }) => ({ kind, name, differences }));
    process.stdout.write(`${JSON.stringify(shown, null, 2)}\n`);
  }
  for (const { line } of changes) say(line);
  if (changes.length === 0) return say('The site is as the file says.');
  if (!isMade) {
    process.exitCode = 2;
    return;
  }
  await applyChanges(site, changes);
  say(`Changes made: ${changes.length}.`);
}

main().catch((error: unknown) => fail('The file was not used', error));
