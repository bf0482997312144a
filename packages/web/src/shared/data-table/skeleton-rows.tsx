import { Skeleton } from '@mantine/core';
import classes from './data-table.module.css';

interface SkeletonRowsProps {
  columns: number;
  label: string;
}

/** Where rows will stand, at their height. */
export function SkeletonRows({ columns, label }: SkeletonRowsProps) {
  const cells = Array.from({ length: Math.min(columns, 7) }, (_, index) => index);
  return (
    <table className={classes.table} aria-label={label} aria-busy="true">
      <tbody>
        {Array.from({ length: 6 }, (_, row) => (
          <tr key={row}>
            {cells.map((cell) => (
              <td key={cell}>
                <Skeleton height={12} width={`${50 + ((row * 13 + cell * 29) % 45)}%`} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
