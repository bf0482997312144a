import { ActionIcon, Button, TextInput } from '@mantine/core';
import { Plus, Trash2 } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useTranslate, type Text } from '../../../lib/i18n.ts';
import classes from './editors.module.css';
import { text } from './text.ts';

interface RecordTableProps<T> {
  label: string;
  /** Label of the names and of the field for a new one; groups by default. */
  names?: readonly [title: Text, fresh: Text];
  /** Titles of the columns behind the name. */
  columns: readonly Text[];
  value: Readonly<Record<string, T>>;
  onChange: (value: Readonly<Record<string, T>>) => void;
  /** Initial value of a new group. */
  fresh: T;
  /** The fields of one group, one for each column. */
  cells: (name: string, entry: T, set: (entry: T) => void) => readonly ReactNode[];
}

/** A map of groups as rows. Names are not editable, so that no edit can create a duplicate. */
export function RecordTable<T>(props: RecordTableProps<T>) {
  const {
    label,
    names: [title, added] = [text.group, text.newGroup],
    columns,
    value,
    onChange,
    fresh,
    cells,
  } = props;
  const t = useTranslate();
  const names = Object.keys(value);
  return (
    <>
      {names.length === 0 ? (
        <p className={classes.none}>{t(text.none)}</p>
      ) : (
        <div className={classes.scroll}>
          <table className={classes.table} aria-label={label}>
            <thead>
              <tr>
                {[title, ...columns, text.actions].map((heading) => (
                  <th key={heading.zh} scope="col">
                    {t(heading)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {names.map((name) => (
                <tr key={name}>
                  <td>{name}</td>
                  {cells(name, value[name] ?? fresh, (entry) => onChange({ ...value, [name]: entry })).map(
                    (cell, index) => (
                      <td key={columns[index]?.zh}>{cell}</td>
                    ),
                  )}
                  <td>
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      aria-label={t(text.remove, { name })}
                      onClick={() =>
                        onChange(Object.fromEntries(Object.entries(value).filter(([key]) => key !== name)))
                      }
                    >
                      <Trash2 size={14} />
                    </ActionIcon>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <AddName words={added} taken={names} onAdd={(name) => onChange({ ...value, [name]: fresh })} />
    </>
  );
}

interface AddNameProps {
  words: Text;
  taken: readonly string[];
  onAdd: (name: string) => void;
}

function AddName({ words, taken, onAdd }: AddNameProps) {
  const t = useTranslate();
  const [name, setName] = useState('');
  const trimmed = name.trim();
  const exists = taken.includes(trimmed);
  const add = () => {
    if (trimmed === '' || exists) return;
    onAdd(trimmed);
    setName('');
  };
  return (
    <div className={classes.add}>
      <TextInput
        size="xs"
        aria-label={t(words)}
        placeholder={t(words)}
        value={name}
        maxLength={255}
        error={exists && t(text.nameExists)}
        onChange={(event) => setName(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
          event.preventDefault();
          add();
        }}
      />
      <Button
        size="xs"
        variant="default"
        leftSection={<Plus size={14} />}
        disabled={trimmed === ''}
        onClick={add}
      >
        {t(text.add)}
      </Button>
    </div>
  );
}
