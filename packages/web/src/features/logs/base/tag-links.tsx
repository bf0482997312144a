import { type LogData, writeTag } from '@tollgate/contract';
import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import classes from './cells.module.css';

/** The tags of a row as text; none for unreadable text. */
export function tagsOf({ tags }: Pick<LogData, 'tags'>): string[] {
  if (tags === '') return [];
  try {
    const read = JSON.parse(tags) as Record<string, string>;
    return Object.entries(read).map(([name, value]) => writeTag(name, value));
  } catch {
    return [];
  }
}

/** The tags of a call. Each links to the calls with the same tag in the month before it. */
export const TagLinks = ({ row }: { row: LogData }) =>
  tagsOf(row).map((tag, at) => (
    <Fragment key={tag}>
      {at > 0 && ', '}
      <Link to="/log" className={classes.link} search={{ tag, range: '30d' }}>
        {tag}
      </Link>
    </Fragment>
  ));
