import { Button, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Scale } from 'lucide-react';
import { useTranslate } from '../../../lib/i18n.ts';
import { MutationButton } from '../../../shared/demo/mutation-button.tsx';
import { LoadError } from '../../../shared/state/load-error.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { syncQuery } from '../base/queries.ts';
import { Approval } from './approval.tsx';
import { Sources } from './sources.tsx';
import { text } from './text.ts';
import { useListOption } from './use-list-option.ts';

/** Compares public price lists with our own: differences, conflicts, and their approval. */
export function Sync() {
  const t = useTranslate();
  const { data: report, error, refetch } = useQuery(syncQuery);
  const option = useListOption();
  const turn = (value: 'true' | 'false') => option.mutate({ key: 'PriceSyncEnabled', value });
  if (error) return <LoadError error={error} onRetry={refetch} />;
  if (!report) return <Skeleton height={420} />;
  if (!report.enabled)
    return (
      <Panel>
        <EmptyState
          icon={<Scale size={20} />}
          title={t(text.offTitle)}
          hint={t(text.offHint)}
          action={
            <MutationButton loading={option.isPending} onClick={() => turn('true')}>
              {t(text.turnOn)}
            </MutationButton>
          }
        />
      </Panel>
    );
  return (
    <Stack gap="md">
      <Sources
        report={report}
        actions={
          <Button variant="subtle" color="gray" loading={option.isPending} onClick={() => turn('false')}>
            {t(text.turnOff)}
          </Button>
        }
      />
      <Approval key={report.checked_time} report={report} />
    </Stack>
  );
}
