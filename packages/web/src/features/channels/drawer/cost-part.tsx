import { Button, NumberInput, Skeleton, Stack, Switch } from '@mantine/core';
import { costApi, type CostRule } from '@tollgate/contract';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../lib/api/api-client.ts';
import { useTranslate } from '../../../lib/i18n.ts';
import { BelowCostOf } from '../../../shared/below-cost/below-cost.tsx';
import { belowCostQuery } from '../../../shared/below-cost/query.ts';
import { toast } from '../../../shared/feedback/toast.ts';
import { JsonField, jsonProblem } from '../../../shared/json-field.tsx';
import { costText } from './cost-text.ts';

const costQuery = (id: number) =>
  queryOptions({
    queryKey: ['channel-cost', id],
    queryFn: ({ signal }) => call(costApi.get, { id }, { signal }),
    // The fields begin with the stored values.
    gcTime: 0,
  });

/** Cost prices of a channel's calls. They have their own save button, because only root may save them. */
export function CostPart({ id }: { id: number }) {
  const { data } = useQuery(costQuery(id));
  return data ? <CostFields key={id} id={id} saved={data} /> : <Skeleton height={180} />;
}

const example = { 'gpt-4o': { input: 2.5, output: 10, cache_read: 1.25 } };

function useSaveCost(id: number) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (rule: CostRule) => call(costApi.save, { id, ...rule }),
    onSuccess: () => client.invalidateQueries({ queryKey: belowCostQuery.queryKey }),
  });
}

function CostFields({ id, saved }: { id: number; saved: CostRule }) {
  const t = useTranslate();
  const save = useSaveCost(id);
  const [factor, setFactor] = useState<number | string>(saved.factor ?? '');
  const hasModels = Object.keys(saved.models).length > 0;
  const [models, setModels] = useState(hasModels ? JSON.stringify(saved.models, null, 2) : '');
  const [reported, setReported] = useState(saved.reported);
  const problem = jsonProblem(t, models);
  const submit = async () => {
    const table = models.trim() === '' ? {} : (JSON.parse(models) as CostRule['models']);
    await save.mutateAsync({ factor: factor === '' ? null : Number(factor), models: table, reported });
    toast.good(t(costText.saved));
  };
  return (
    <Stack gap="md">
      <NumberInput
        label={t(costText.factor)}
        description={t(costText.factorHint)}
        min={0}
        max={1_000}
        decimalScale={9}
        value={factor}
        onChange={setFactor}
      />
      <JsonField
        label={t(costText.models)}
        description={t(costText.modelsHint)}
        value={models}
        onChange={setModels}
        error={problem}
        example={example}
      />
      <Switch
        label={t(costText.reported)}
        description={t(costText.reportedHint)}
        checked={reported}
        onChange={(event) => setReported(event.currentTarget.checked)}
      />
      <BelowCostOf channel={id} />
      <div>
        <Button
          variant="default"
          loading={save.isPending}
          disabled={problem !== null}
          onClick={() => void submit().catch(() => undefined)}
        >
          {t(costText.save)}
        </Button>
      </div>
    </Stack>
  );
}
