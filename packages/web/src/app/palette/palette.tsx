import { Modal } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { Search } from 'lucide-react';
import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import { useTranslate } from '../../lib/i18n.ts';
import { mayAccess, useCurrentUser } from '../../lib/session.ts';
import { matches } from './match.ts';
import classes from './palette.module.css';
import { text } from './text.ts';
import type { Entry, EntryGroup } from './types.ts';
import { useActionEntries, usePageEntries } from './use-commands.ts';
import { useRecords } from './use-records.ts';

/** Delay after the last keystroke before the search for records starts, in ms. */
const debounceMs = 250;

/** The command palette: finds pages, actions and records by words. */
export function Palette({ onClose }: { onClose: () => void }) {
  const t = useTranslate();
  return (
    <Modal
      opened
      onClose={onClose}
      withCloseButton={false}
      padding={0}
      size={620}
      // From the top, so that the field stays where it is while the list changes.
      centered={false}
      yOffset="12vh"
      // It opens without a transition, because it answers a key.
      transitionProps={{ duration: 0 }}
      attributes={{ content: { 'aria-label': t(text.title) } }}
    >
      <Body onClose={onClose} />
    </Modal>
  );
}

/** The query, its matches, and the entry chosen by keys. */
function useChoice(onClose: () => void) {
  const [typed, setTyped] = useState('');
  const [active, setActive] = useState(0);
  const query = typed.trim();
  const [settled] = useDebouncedValue(query, debounceMs);
  const records = useRecords(query, query === '' ? '' : settled);
  const groups = [...useFound(query), ...records.groups];
  const entries = groups.flatMap((group) => group.entries);
  const chosen = entries[Math.min(active, entries.length - 1)];
  const run = (entry: Entry) => {
    onClose();
    entry.run();
  };
  const move = (step: number) =>
    setActive((entries.indexOf(chosen!) + step + entries.length) % Math.max(entries.length, 1));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (event.key === 'Enter' && chosen) run(chosen);
    else return;
    event.preventDefault();
  };
  const type = (words: string) => {
    setTyped(words);
    setActive(0);
  };
  const isSearching = records.isSearching || settled !== query;
  return { typed, type, groups, isEmpty: entries.length === 0, isSearching, chosen, run, onKeyDown };
}

function Body({ onClose }: { onClose: () => void }) {
  const t = useTranslate();
  const id = useId();
  const isAdmin = mayAccess(useCurrentUser(), 'admin');
  const { typed, type, groups, isEmpty, isSearching, chosen, run, onKeyDown } = useChoice(onClose);
  return (
    <>
      <div className={classes.search}>
        <Search size={17} aria-hidden="true" />
        <input
          data-autofocus
          role="combobox"
          aria-expanded="true"
          aria-controls={id}
          aria-activedescendant={chosen && `${id}-${chosen.id}`}
          aria-autocomplete="list"
          aria-label={t(text.title)}
          autoComplete="off"
          spellCheck={false}
          placeholder={t(isAdmin ? text.placeholderAdmin : text.placeholder)}
          value={typed}
          onChange={(event) => type(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
      </div>
      <div id={id} role="listbox" aria-label={t(text.title)} className={classes.list}>
        {groups.map((group) => (
          <Group key={group.title} group={group} listId={id} chosen={chosen} onRun={run} />
        ))}
      </div>
      <p className={classes.note} role="status">
        {isEmpty && t(isSearching ? text.searching : text.nothing)}
      </p>
      <p className={classes.foot}>{t(text.keys)}</p>
    </>
  );
}

/** Pages and actions that match the query. */
function useFound(query: string): EntryGroup[] {
  const t = useTranslate();
  const fitting = (entries: readonly Entry[]) => entries.filter((entry) => matches(entry, query));
  return [
    { title: t(text.groupPages), entries: fitting(usePageEntries()) },
    { title: t(text.groupActions), entries: fitting(useActionEntries()) },
  ].filter(({ entries }) => entries.length > 0);
}

interface GroupProps {
  group: EntryGroup;
  listId: string;
  chosen: Entry | undefined;
  onRun: (entry: Entry) => void;
}

function Group({ group: { title, entries }, listId, chosen, onRun }: GroupProps) {
  return (
    <div role="group" aria-label={title}>
      <div className={classes.title} aria-hidden="true">
        {title}
      </div>
      {entries.map((entry) => (
        <Row
          key={entry.id}
          id={`${listId}-${entry.id}`}
          entry={entry}
          isChosen={entry.id === chosen?.id}
          onRun={onRun}
        />
      ))}
    </div>
  );
}

interface RowProps {
  id: string;
  entry: Entry;
  isChosen: boolean;
  onRun: (entry: Entry) => void;
}

/** One entry. The focus stays in the field, so rows only handle clicks. */
function Row({ id, entry, isChosen, onRun }: RowProps) {
  const { label, detail, icon: Icon } = entry;
  const row = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isChosen) row.current?.scrollIntoView({ block: 'nearest' });
  }, [isChosen]);
  return (
    <div
      ref={row}
      id={id}
      role="option"
      aria-selected={isChosen}
      className={classes.row}
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => onRun(entry)}
    >
      <Icon size={16} strokeWidth={1.75} aria-hidden="true" />
      <span className={classes.label}>{label}</span>
      {detail !== undefined && <span className={classes.detail}>{detail}</span>}
    </div>
  );
}
