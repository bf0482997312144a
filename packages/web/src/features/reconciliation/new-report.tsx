import { Drawer, MultiSelect, SegmentedControl, Stack } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslate } from '../../lib/i18n.ts';
import { LoadError } from '../../shared/state/load-error.tsx';
import { FetchForm } from './fetch-form.tsx';
import { formText } from './form-text.ts';
import { reportChannelsQuery, reportsQuery } from './queries.ts';
import { UploadForm } from './upload-form.tsx';

interface NewReportProps {
  opened: boolean;
  onClose: () => void;
  /** Called when a report was stored. */
  onTaken: (report: number) => void;
}

/** Imports a vendor's usage: from its API, or from a file. */
export function NewReport({ opened, onClose, onTaken }: NewReportProps) {
  const t = useTranslate();
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      position="right"
      size={620}
      title={t(formText.title)}
      closeButtonProps={{ 'aria-label': t(formText.close) }}
    >
      <Origins onTaken={onTaken} />
    </Drawer>
  );
}

function Origins({ onTaken }: Pick<NewReportProps, 'onTaken'>) {
  const t = useTranslate();
  const client = useQueryClient();
  const [origin, setOrigin] = useState('vendor');
  const [chosen, setChosen] = useState<string[]>([]);
  const channels = useQuery(reportChannelsQuery);
  const taken = (report: number) => {
    void client.invalidateQueries({ queryKey: reportsQuery.queryKey });
    void client.invalidateQueries({ queryKey: reportChannelsQuery.queryKey });
    onTaken(report);
  };
  if (channels.error) return <LoadError error={channels.error} onRetry={channels.refetch} />;
  const found = (channels.data ?? []).filter(({ id }) => chosen.includes(String(id)));
  return (
    <Stack gap="md" pt="md">
      <SegmentedControl
        aria-label={t(formText.origin)}
        data={[
          { value: 'vendor', label: t(formText.vendor) },
          { value: 'file', label: t(formText.file) },
        ]}
        value={origin}
        onChange={setOrigin}
      />
      <MultiSelect
        label={t(formText.channels)}
        description={t(formText.channelsHint)}
        data={(channels.data ?? []).map(({ id, name }) => ({ value: String(id), label: `${name} (${id})` }))}
        value={chosen}
        onChange={setChosen}
        searchable
      />
      {origin === 'vendor' ? (
        <FetchForm channels={found} onTaken={taken} />
      ) : (
        <UploadForm key={found[0]?.id ?? 0} channels={found} onTaken={taken} />
      )}
    </Stack>
  );
}
