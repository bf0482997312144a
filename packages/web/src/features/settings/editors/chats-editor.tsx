import { ActionIcon, Button, Group, TextInput } from '@mantine/core';
import { ArrowUp, Plus, Trash2 } from 'lucide-react';
import { useTranslate } from '../../../lib/i18n.ts';
import classes from './editors.module.css';

import { text } from './text.ts';
import type { EditorProps } from './types.ts';
import { type Pair, looseValueOf, pairsOf, writeValue } from './value.ts';

/** The chat applications: names, links and their order. The setting's declaration refuses an unfinished row on saving. */
export function ChatsEditor({ settingKey, draft }: EditorProps) {
  const t = useTranslate();
  const pairs = pairsOf(looseValueOf(draft, settingKey));
  if (!pairs) return null;
  const write = (next: readonly Pair[]) =>
    writeValue(
      draft,
      settingKey,
      next.map(([name, link]) => ({ [name]: link })),
    );
  return (
    <>
      {pairs.map((_, index) => (
        <LinkRow key={index} pairs={pairs} index={index} write={write} />
      ))}
      {pairs.length === 0 && <p className={classes.none}>{t(text.none)}</p>}
      <div className={classes.add}>
        <Button
          size="xs"
          variant="default"
          leftSection={<Plus size={14} />}
          onClick={() => write([...pairs, ['', '']])}
        >
          {t(text.addLink)}
        </Button>
      </div>
    </>
  );
}

interface LinkRowProps {
  pairs: readonly Pair[];
  index: number;
  write: (pairs: readonly Pair[]) => void;
}

function LinkRow({ pairs, index, write }: LinkRowProps) {
  const t = useTranslate();
  const [name, link] = pairs[index] ?? ['', ''];
  const shownName = name || t(text.appNumber, { number: index + 1 });
  const replace = (pair: Pair) => write(pairs.with(index, pair));
  return (
    <div className={classes.link}>
      <TextInput
        size="xs"
        aria-label={t(text.cell, { name: shownName, column: t(text.appName) })}
        placeholder={t(text.appName)}
        value={name}
        maxLength={100}
        onChange={(event) => replace([event.currentTarget.value, link])}
      />
      <TextInput
        size="xs"
        aria-label={t(text.cell, { name: shownName, column: t(text.appLink) })}
        placeholder="https://chat.example.com/?key={key}&url={address}"
        spellCheck={false}
        value={link}
        maxLength={4096}
        onChange={(event) => replace([name, event.currentTarget.value])}
      />
      <Group gap={2} wrap="nowrap">
        <ActionIcon
          variant="subtle"
          color="gray"
          disabled={index === 0}
          aria-label={t(text.moveUp, { name: shownName })}
          onClick={() => write(pairs.toSpliced(index - 1, 2, [name, link], pairs[index - 1] ?? [name, link]))}
        >
          <ArrowUp size={14} />
        </ActionIcon>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t(text.remove, { name: shownName })}
          onClick={() => write(pairs.toSpliced(index, 1))}
        >
          <Trash2 size={14} />
        </ActionIcon>
      </Group>
    </div>
  );
}
