import { Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import { nothing } from '../lib/format/nothing.ts';
import classes from './figure.module.css';

/** A row of figures on one surface, separated by hairlines. */
export function Figures({ children }: { children: ReactNode }) {
  return <dl className={classes.figures}>{children}</dl>;
}

interface FigureProps {
  label: ReactNode;
  /** undefined while it is loading. */
  value: ReactNode | undefined;
  note?: ReactNode;
}

/** One number with its label. */
export function Figure({ label, value, note }: FigureProps) {
  return (
    <div className={classes.figure}>
      <dt className={classes.label}>{label}</dt>
      <dd className={classes.body}>
        <div className={classes.value}>
          {value === undefined ? <Skeleton height={18} width={90} my={5} /> : value}
        </div>
        {note !== undefined && <div className={classes.note}>{note}</div>}
      </dd>
    </div>
  );
}

/** The figure of a query: its value, a dash on failure, and undefined while loading. */
export function figureValue<T>(
  query: { data: T | undefined; isError: boolean },
  show: (data: T) => ReactNode,
): ReactNode {
  if (query.data !== undefined) return show(query.data);
  return query.isError ? nothing : undefined;
}
