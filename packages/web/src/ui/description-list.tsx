import { Fragment, type ReactNode } from 'react';
import classes from './description-list.module.css';

interface DescriptionListProps {
  /** Name and value; rows with the value null are left out. */
  rows: readonly (readonly [name: string, value: ReactNode])[];
}

/** Names and values in two columns. */
export function DescriptionList({ rows }: DescriptionListProps) {
  return (
    <dl className={classes.list}>
      {rows
        .filter(([, value]) => value !== null && value !== '')
        .map(([name, value]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </Fragment>
        ))}
    </dl>
  );
}
