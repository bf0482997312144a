import { Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { texts, useTranslate } from '../../lib/i18n.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { CopyButton } from '../copy/copy-button.tsx';
import { type SetupPart, setups, type SetupValues, textOfPart } from './setups.ts';

const text = texts({
  program: { zh: '程序', en: 'Program' },
  agents: { zh: '智能体', en: 'Agents' },
  applications: { zh: '应用', en: 'Applications' },
  terminal: { zh: '终端', en: 'Terminal' },
  fields: { zh: '设置项', en: 'Fields' },
});

const kinds = [
  { kind: 'agent', name: text.agents },
  { kind: 'application', name: text.applications },
] as const;

/** Variables and the commands after them are one text for a terminal. */
function joinTerminal(
  parts: readonly SetupPart[],
): { place: string | null; code: string; isFields: boolean }[] {
  const blocks = parts.map((part) => ({
    place: part.kind === 'file' ? part.path : null,
    code: textOfPart(part),
    isFields: part.kind === 'fields',
  }));
  return blocks.reduce<typeof blocks>((joined, block) => {
    const last = joined.at(-1);
    if (!last || last.place !== null || block.place !== null) return [...joined, block];
    return [...joined.slice(0, -1), { ...last, code: last.code + block.code }];
  }, []);
}

/** The exact setup of a program with this site's address and the key. */
export function SetupPanel({ values }: { values: SetupValues }) {
  const t = useTranslate();
  const [chosen, setChosen] = useState('claude-code');
  const setup = setups.find(({ id }) => id === chosen);
  const data = kinds.map(({ kind, name }) => ({
    group: t(name),
    items: setups.filter((each) => each.kind === kind).map(({ id, name: label }) => ({ value: id, label })),
  }));
  return (
    <Stack gap="sm">
      <Select
        label={t(text.program)}
        data={data}
        value={chosen}
        onChange={(id) => id !== null && setChosen(id)}
        allowDeselect={false}
      />
      {setup?.note && <Text size="sm">{t(setup.note)}</Text>}
      {joinTerminal(setup?.parts(values) ?? []).map(({ place, code, isFields }) => {
        const title = place ?? t(isFields ? text.fields : text.terminal);
        return (
          <div key={title}>
            <Text size="sm" c="dimmed" mb={4}>
              {title}
            </Text>
            <CodeBlock code={code.trimEnd()} label={title} action={<CopyButton value={code} />} />
          </div>
        );
      })}
    </Stack>
  );
}
