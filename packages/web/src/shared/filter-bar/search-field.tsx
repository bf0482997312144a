import { CloseButton, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { Search } from 'lucide-react';
import { useId, useRef, useState } from 'react';
import { texts, useTranslate } from '../../lib/i18n.ts';

const text = texts({ clear: { zh: '清除', en: 'Clear' } });

interface SearchFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  width?: number;
  icon?: boolean;
  /** Values that the browser offers while the user types. */
  offers?: readonly string[];
}

/** Delay after the last keystroke before the search starts, in ms; Enter starts it at once. */
const debounceMs = 350;

/** One text filter of a list. */
export function SearchField({ label, value, onChange, width = 220, icon = true, offers }: SearchFieldProps) {
  const t = useTranslate();
  const list = useId();
  const [typed, setTyped] = useState(value);
  const [known, setKnown] = useState(value);
  const search = useDebouncedCallback(onChange, debounceMs);
  // During composition by an input method, the field holds incomplete words.
  const composing = useRef(false);
  // The address may change while the field is mounted: Back button, reset of all filters.
  if (known !== value) {
    setKnown(value);
    setTyped(value);
  }

  const set = (next: string) => {
    setTyped(next);
    if (!composing.current) search(next);
  };
  return (
    <>
      <TextInput
        aria-label={label}
        list={offers && offers.length > 0 ? list : undefined}
        aria-keyshortcuts={icon ? '/' : undefined}
        placeholder={label}
        w={width}
        maw="100%"
        value={typed}
        leftSection={icon ? <Search size={15} /> : undefined}
        rightSection={
          typed === '' ? null : (
            <CloseButton size={24} iconSize={14} aria-label={t(text.clear)} onClick={() => set('')} />
          )
        }
        onChange={(event) => set(event.currentTarget.value)}
        onCompositionStart={() => {
          composing.current = true;
        }}
        onCompositionEnd={(event) => {
          composing.current = false;
          set(event.currentTarget.value);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.nativeEvent.isComposing) onChange(typed);
        }}
      />
      {offers && offers.length > 0 && (
        <datalist id={list}>
          {offers.map((value) => (
            <option key={value} value={value} />
          ))}
        </datalist>
      )}
    </>
  );
}
