import { Skeleton, Stack } from '@mantine/core';
import type { Ref } from 'react';
import { useTranslate, type Text } from '../../lib/i18n.ts';
import classes from './data-table.module.css';

interface SkeletonRowsProps {
  /** The columns of the table; none if rows become cards. */
  columns: readonly { id: string; title: Text }[];
  frameRef: Ref<HTMLDivElement>;
  label: string;
}

const places = [0, 1, 2, 3, 4, 5];

/** Placeholders for rows, with their height and header. */
export function SkeletonRows({ columns, frameRef, label }: SkeletonRowsProps) {
  const t = useTranslate();
  if (columns.length === 0)
    return (
      <Stack p="md" gap="md" role="status" aria-label={label} aria-busy="true">
        {places.map((place) => (
          <Skeleton key={place} height={48} />
        ))}
      </Stack>
    );
  return (
    <div className={classes.scroll} ref={frameRef}>
      <table className={classes.table} aria-label={label} aria-busy="true">
        <thead>
          <tr>
            {columns.map(({ id, title }) => (
              <th key={id} scope="col" data-column={id}>
                {t(title)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {places.map((row) => (
            <tr key={row}>
              {columns.map(({ id }, cell) => (
                <td key={id}>
                  <div className={classes.bone} style={{ width: `${50 + ((row * 13 + cell * 29) % 45)}%` }} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
