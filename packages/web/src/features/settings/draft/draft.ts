import { AppError, declarationOf, type SettingKey } from '@tollgate/contract';
import { useCallback, useMemo, useState } from 'react';
import { translate, texts, type Language } from '../../../lib/i18n.ts';
import type { StoredSettings } from './queries.ts';

const text = texts({ notStorable: { zh: '这个值无法保存', en: 'This value cannot be stored' } });

/** The text of a setting on the server; secrets are never sent, so they are empty. */
const storedText = (key: SettingKey, stored: StoredSettings): string => {
  const declaration = declarationOf(key);
  if (declaration.secret) return '';
  return stored.texts[key] ?? declaration.format(declaration.default);
};

/**
 * The reason why a text is invalid, with the setting's label; null if it is valid. An unchanged secret is always valid.
 */
export function problemOf(key: SettingKey, value: string, language: Language): string | null {
  const declaration = declarationOf(key);
  if (declaration.secret && value === '') return null;
  try {
    declaration.tidy(value, declaration.label[language]);
    return null;
  } catch (error) {
    return error instanceof AppError ? error.say(language) : translate(language, text.notStorable);
  }
}

export interface Draft {
  /** The shown text: the changed one, otherwise the stored. */
  textOf: (key: SettingKey) => string;
  /** The stored text, without unsaved changes. */
  storedOf: (key: SettingKey) => string;
  set: (key: SettingKey, value: string) => void;
  isChanged: (key: SettingKey) => boolean;
  /** Keys and texts that differ from the server's. */
  changes: readonly (readonly [SettingKey, string])[];
  /** Discards changes: the given ones, or all. */
  forget: (keys?: readonly SettingKey[]) => void;
}

/** Unsaved changes of all tabs. */
export function useDraft(stored: StoredSettings): Draft {
  const [typed, setTyped] = useState<Readonly<Partial<Record<SettingKey, string>>>>({});

  const changes = useMemo(
    () =>
      (Object.entries(typed) as [SettingKey, string][]).filter(
        ([key, value]) => value !== storedText(key, stored),
      ),
    [typed, stored],
  );
  const set = useCallback(
    (key: SettingKey, value: string) => setTyped((before) => ({ ...before, [key]: value })),
    [],
  );
  const forget = useCallback((keys?: readonly SettingKey[]) => {
    setTyped((before) =>
      keys ? Object.fromEntries(Object.entries(before).filter(([key]) => !keys.some((k) => k === key))) : {},
    );
  }, []);
  return {
    textOf: (key) => typed[key] ?? storedText(key, stored),
    storedOf: (key) => storedText(key, stored),
    set,
    isChanged: (key) => changes.some(([changed]) => changed === key),
    changes,
    forget,
  };
}
