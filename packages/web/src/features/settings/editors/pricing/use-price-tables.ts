import { declarationOf } from '@tollgate/contract';
import { useCallback, useMemo } from 'react';
import type { Draft } from '../../draft/draft.ts';
import { isNumber, isRecordOf, writeValue } from '../value.ts';
import type { PriceTables, Table } from './model-prices.ts';
import { priceKeys } from './price-keys.ts';

/** Prices of audio; edited only as JSON, shown beside the prices. */
export interface AudioTables {
  AudioRatio: Table;
  AudioCompletionRatio: Table;
}

type TableKey = (typeof priceKeys)[number] | keyof AudioTables;

interface TablesState {
  /** Undefined while one of the texts is invalid. */
  tables: PriceTables | undefined;
  write: (next: PriceTables) => void;
}

function parseTable(key: TableKey, text: string): Table | undefined {
  try {
    const value = declarationOf(key).parse(text, key);
    return isRecordOf(value, isNumber) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** One table, parsed again only if its own text changes: the draft is a new object at every keystroke. */
function useTable(draft: Draft, key: TableKey): Table | undefined {
  const text = draft.textOf(key);
  return useMemo(() => parseTable(key, text), [key, text]);
}

/** The three price tables of the draft. */
export function usePriceTables(draft: Draft): TablesState {
  const ModelPrice = useTable(draft, 'ModelPrice');
  const ModelRatio = useTable(draft, 'ModelRatio');
  const CompletionRatio = useTable(draft, 'CompletionRatio');
  const tables = useMemo(
    () =>
      ModelPrice && ModelRatio && CompletionRatio ? { ModelPrice, ModelRatio, CompletionRatio } : undefined,
    [ModelPrice, ModelRatio, CompletionRatio],
  );
  const write = useCallback(
    (next: PriceTables) => {
      for (const key of priceKeys) writeValue(draft, key, next[key]);
    },
    [draft],
  );
  return { tables, write };
}

const none: Table = {};

/** The audio tables of the draft; an invalid one counts as empty. */
export function useAudioTables(draft: Draft): AudioTables {
  const AudioRatio = useTable(draft, 'AudioRatio') ?? none;
  const AudioCompletionRatio = useTable(draft, 'AudioCompletionRatio') ?? none;
  return useMemo(() => ({ AudioRatio, AudioCompletionRatio }), [AudioRatio, AudioCompletionRatio]);
}
