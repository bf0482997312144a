import type { ReactNode } from 'react';
import type { Text } from '../../lib/i18n.ts';

/** One column of a table. */
export interface Column<Row> {
  /** Stable name, which is the key of stored column choices. */
  id: string;
  title: Text;
  render: (row: Row) => ReactNode;
  /** The label on a row's card, if it differs from the column's title. */
  titleOn?: (row: Row) => Text;
  /** Numbers are right-aligned, so that their digits line up. */
  align?: 'start' | 'end';
  /** CSS width; without one it depends on the content. */
  width?: string;
  /** The column's name in the sort parameter; without one the list cannot be sorted by it. */
  sort?: string;
  /** Sort value of rows, for lists that are completely loaded (`use-sorted.ts`). */
  value?: (row: Row) => number | string;
  /** Hidden by default. */
  hidden?: boolean;
  /** Hidden first if the table is wider than its frame, unless a user chose to show it (`use-fit.ts`). */
  roomy?: boolean;
  /** Takes the remaining width and is cut off at its end; its content has a tooltip with the full text. */
  fills?: true;
  /** Cannot be hidden: the name of a record, its actions. */
  fixed?: boolean;
  /**
   * Position on the card of a phone: 'corner' at the end of its header, 'line' without label in the line below. Other
   * facts have their labels and appear when the card is expanded.
   */
  card?: 'corner' | 'line' | undefined;
  /** On a phone rows become cards: the title is the header, and actions are at the end of the expanded card. */
  role?: 'title' | 'actions';
}

/** Expandable child rows of the same kind: the members of a tag. */
export interface InnerRows<Row> {
  of: (row: Row) => readonly Row[];
  id: (row: Row) => string;
}

/** The shown rows and functions to load others. Pages count from 1 here, whatever the call counts from. */
export interface Paging {
  page: number;
  pageSize: number;
  /** Total number of rows; null if the call does not return it: then there is only "next", while pages are full. */
  total: number | null;
  /** False if there may be more rows than `total`: the count has a limit. */
  exact?: boolean | undefined;
  onPage: (page: number) => void;
  onPageSize: (size: number) => void;
}

/** The ticked rows, by row id. */
export interface Selection {
  ids: ReadonlySet<string>;
  onChange: (ids: ReadonlySet<string>) => void;
}

/** Sort column of a list, as in the address and the call: `name`, `-name`, or '' for the default order. */
export interface Sorting {
  value: string;
  onChange: (value: string) => void;
}

/** The last expanded row, for pages that keep it in their address. */
export interface Unfolded {
  /** Its id; '' for none. */
  id: string;
  onChange: (id: string) => void;
}

/** A switch of the view menu. */
export interface ViewOption {
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}
