import { Button } from '@mantine/core';
import { Download } from 'lucide-react';
import { useTranslate } from '../../../lib/i18n.ts';
import { useExport } from './export.ts';
import { statementText as text } from './text.ts';

/** Exports the month; while it runs, its progress and a way to stop. */
export function ExportButton({ teamId, month }: { teamId: number; month: string }) {
  const t = useTranslate();
  const csv = useExport(teamId, month);
  return (
    <Button
      variant="default"
      leftSection={<Download size={15} />}
      onClick={csv.count === null ? csv.start : csv.stop}
    >
      {csv.count === null ? t(text.export) : t(text.exporting, { count: csv.count })}
    </Button>
  );
}
