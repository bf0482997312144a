import { Fragment, type ReactNode } from 'react';
import classes from './facts.module.css';

interface FactsProps {
  /** Name and value; rows whose value is null are left out. */
  rows: readonly (readonly [name: string, value: ReactNode])[];
}

/** Names and values in two columns. */
export function Facts({ rows }: FactsProps) {
  return (
    <dl className={classes.facts}>
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
