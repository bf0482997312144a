import { Switch } from '@mantine/core';
import type { UserData } from '@tollgate/contract';
import { useTranslate } from '../../../lib/i18n.ts';
import { useDemoDisabled } from '../../../shared/demo/use-demo-disabled.ts';
import { toast } from '../../../shared/feedback/toast.ts';
import { Panel } from '../../../ui/panel.tsx';
import { useSaveSetting } from '../base/queries.ts';
import { text } from '../base/text.ts';
import { settingOf } from '../rules/setting.ts';

/** Whether calls of models without a price are served all the same; saved with the switch. */
export function PricesPanel({ self }: { self: UserData }) {
  const t = useTranslate();
  const save = useSaveSetting(() => toast.good(t(text.pricesSaved)), false);
  const asleep = useDemoDisabled();
  const setting = settingOf(self.setting);
  const isOn = save.isPending
    ? save.variables.accept_unset_model_ratio_model
    : setting.accept_unset_model_ratio_model;
  return (
    <Panel title={t(text.prices)}>
      <Switch
        label={t(text.acceptUnpriced)}
        description={t(text.acceptUnpricedHint)}
        checked={isOn ?? false}
        disabled={save.isPending}
        {...asleep}
        onChange={(event) =>
          save.mutate({ ...setting, accept_unset_model_ratio_model: event.currentTarget.checked })
        }
      />
    </Panel>
  );
}
