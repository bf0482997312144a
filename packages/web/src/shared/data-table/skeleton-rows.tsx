import { Skeleton, Stack } from '@mantine/core';
import classes from './data-table.module.css';

interface SkeletonRowsProps {
  /** The titles of the columns that will be there; empty where rows become cards. */
  titles: readonly string[];
  label: string;
}

const places = [0, 1, 2, 3, 4, 5];

/** Where rows will stand, at their height, under the head they will have. */
export function SkeletonRows({ titles, label }: SkeletonRowsProps) {
  if (titles.length === 0)
    return (
      <Stack p="md" gap="md" role="status" aria-label={label} aria-busy="true">
        {places.map((place) => (
          <Skeleton key={place} height={64} />
        ))}
      </Stack>
    );
  return (
    <div className={classes.scroll}>
      <table className={classes.table} aria-label={label} aria-busy="true">
        <thead>
          <tr>
            {titles.map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {places.map((row) => (
            <tr key={row}>
              {titles.map((title, cell) => (
                <td key={title}>
                  <Skeleton height={12} width={`${50 + ((row * 13 + cell * 29) % 45)}%`} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
