import { useQuery, type QueryKey, type UseQueryOptions } from '@tanstack/react-query';
import { useState } from 'react';

interface EditedOptions<Row, Key extends QueryKey> {
  /** The URL's value: an id, `new`, or '' for none. */
  edit: string;
  /** The rows on the page; undefined until they are loaded. */
  rows: readonly Row[] | undefined;
  /** Fetches a record that is not on the page. */
  query: (id: number) => UseQueryOptions<Row, Error, Row, Key>;
}

interface Edited<Row> {
  opened: boolean;
  /** The record in the form; undefined for a new one. */
  row: Row | undefined;
  /** The reason why the record could not be loaded. */
  problem: Error | null;
  retry: () => unknown;
}

/** The last record in the form: a closing drawer keeps it, and does not show the form of a new one. */
export function useLastShown<Row>(opened: boolean, row: Row | undefined): Row | undefined {
  const [shown, setShown] = useState(row);
  if (opened && row !== shown) setShown(row);
  return opened ? row : shown;
}

/**
 * The record in the form over a list, by the URL. A record that is not on the page is fetched: its URL must never open
 * the form of a new one.
 */
export function useEdited<Row extends { id: number }, Key extends QueryKey>({
  edit,
  rows,
  query,
}: EditedOptions<Row, Key>): Edited<Row> {
  const id = /^\d+$/.test(edit) ? Number(edit) : 0;
  const listed = rows?.find((row) => row.id === id);
  const other = useQuery({ ...query(id), enabled: id > 0 && rows !== undefined && !listed });
  const row = id > 0 ? (listed ?? other.data) : undefined;
  const opened = edit === 'new' || row !== undefined;
  return {
    opened,
    row: useLastShown(opened, row),
    problem: id > 0 && row === undefined ? other.error : null,
    retry: other.refetch,
  };
}
