import { Button } from '@mantine/core';
import { Download } from 'lucide-react';
import { useSay } from '../../../lib/i18n.ts';
import { useExport } from './export.ts';
import { statementText as text } from './text.ts';

/** Exports the month; while it runs, its progress and a way to stop. */
export function ExportButton({ teamId, month }: { teamId: number; month: string }) {
  const say = useSay();
  const csv = useExport(teamId, month);
  return (
    <Button
      variant="default"
      leftSection={<Download size={15} />}
      onClick={csv.count === null ? csv.start : csv.stop}
    >
      {csv.count === null ? say(text.export) : say(text.exporting, { count: csv.count })}
    </Button>
  );
}
