import type { ReactNode } from 'react';
import type { Text } from '../../lib/i18n.ts';

/** One column of a table. */
export interface Column<Row> {
  /** Stable name; hidden columns are remembered by it. */
  id: string;
  title: Text;
  render: (row: Row) => ReactNode;
  /** The name of the fact on the card of a row where it is another than the column's. */
  titleOn?: (row: Row) => Text;
  /** Numbers are right-aligned, so that their digits line up. */
  align?: 'start' | 'end';
  /** CSS width; without one the content decides. */
  width?: string;
  /** The name of this column in the order of the list; without one the list cannot be ordered by it. */
  sort?: string;
  /** What rows of a list that is here whole are ordered by (`use-sorted.ts`). */
  value?: (row: Row) => number | string;
  /** Hidden until a person asks for it. */
  hidden?: boolean;
  /** The first to go where the table is wider than its frame, unless a person asks for it (`use-fit.ts`). */
  roomy?: boolean;
  /** Takes the room that the others leave, and is cut off where it ends; what it shows has its whole text as a tooltip. */
  fills?: true;
  /** Cannot be hidden: the name of a record, its actions. */
  fixed?: boolean;
  /**
   * Where a fact stands on the card of a phone: 'corner' at the end of its head, 'line' without its name in the line
   * below. The others are listed by name once the card is unfolded.
   */
  card?: 'corner' | 'line' | undefined;
  /** On a phone rows become cards: the title heads the card, the unfolded card closes with the actions. */
  role?: 'title' | 'actions';
}

/** Rows of the same kind that unfold under a row: the members of a tag. */
export interface InnerRows<Row> {
  of: (row: Row) => readonly Row[];
  id: (row: Row) => string;
}

/** Which rows are shown and how to get others. Pages count from 1 here, whatever the call counts from. */
export interface Paging {
  page: number;
  pageSize: number;
  /** Total number of rows; null where the call does not return it: then only "next" is offered, while pages are full. */
  total: number | null;
  /** False when there may be more rows than `total`: counting stopped somewhere. */
  exact?: boolean | undefined;
  onPage: (page: number) => void;
  onPageSize: (size: number) => void;
}

/** The rows a person has ticked, by row id. */
export interface Selection {
  ids: ReadonlySet<string>;
  onChange: (ids: ReadonlySet<string>) => void;
}

/** By which column a list is ordered, as the address and the call have it: `name`, `-name`, or '' for its own order. */
export interface Sorting {
  value: string;
  onChange: (value: string) => void;
}

/** The row that was unfolded last, for pages that keep it in their address. */
export interface Unfolded {
  /** Its id; '' for none. */
  id: string;
  onChange: (id: string) => void;
}
