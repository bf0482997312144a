import type { UseFormReturnType } from '@mantine/form';
import { useEffect, useRef, type RefObject } from 'react';

interface Filling<Values, Row> {
  opened: boolean;
  /** The edited record; undefined for a new one. */
  row: Row | undefined;
  id: (row: Row) => string | number;
  valuesOf: (row: Row | undefined) => Values;
}

/**
 * Fills a form when its drawer opens or shows another row. An update of the same row does not discard the input. Returns
 * the row from when the form was filled: only differences from it are saved.
 */
export function useFilledForm<Values extends Record<string, unknown>, Row>(
  form: UseFormReturnType<Values>,
  { opened, row, id, valuesOf }: Filling<Values, Row>,
): RefObject<Row | undefined> {
  const before = useRef<Row>(undefined);
  const shown = useRef<string | number>(undefined);
  const { setInitialValues, reset } = form;
  useEffect(() => {
    const next = row === undefined ? 'new' : id(row);
    if (!opened) shown.current = undefined;
    else if (shown.current !== next) {
      shown.current = next;
      before.current = row;
      setInitialValues(valuesOf(row));
      reset();
    }
  });
  return before;
}
