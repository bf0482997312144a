import { Button, SimpleGrid, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ReceiptText } from 'lucide-react';
import { useLanguage, useTranslate } from '../../lib/i18n.ts';
import { formatNumber } from '../../lib/format/number-format.ts';
import { useStatus } from '../../lib/api/status.ts';
import { CreditEnds } from '../../shared/credit-ends/credit-ends.tsx';
import { Money } from '../../shared/money/money.tsx';
import { Spent } from '../../shared/money/spent.tsx';
import { selfQuery } from '../../shared/self.ts';
import { Figure, Figures, figureValue } from '../../ui/figure.tsx';
import { PageHead } from '../../ui/page-head.tsx';
import { AutoTopUpPanel } from './auto-top-up-panel.tsx';
import { Orders } from './orders.tsx';
import { PlansPanel } from './plans-panel.tsx';
import { RedeemPanel } from './redeem-panel.tsx';
import { text } from './text.ts';
import { TopUpPanel } from './top-up-panel.tsx';

export function Page() {
  const t = useTranslate();
  const language = useLanguage();
  const self = useQuery(selfQuery);
  const status = useStatus();
  const paysOnline = status?.enable_online_topup || status?.enable_stripe_topup;
  return (
    <>
      <PageHead
        title={t(text.title)}
        hint={t(text.hint)}
        actions={
          <Button component={Link} to="/statement" variant="default" leftSection={<ReceiptText size={15} />}>
            {t(text.statements)}
          </Button>
        }
      />
      <Stack gap={14}>
        <Figures>
          <Figure
            label={t(text.balance)}
            value={figureValue(self, ({ quota }) => (
              <Money quota={quota} />
            ))}
            note={self.data && <CreditEnds owner="self" balance={self.data.quota} />}
          />
          <Spent label={t(text.used)} user={self.data} isError={self.isError} />
          <Figure
            label={t(text.requests)}
            value={figureValue(self, (user) => formatNumber(user.request_count, language))}
          />
        </Figures>
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing={14}>
          {/* Methods that are enabled on this site come first. */}
          {paysOnline && <TopUpPanel />}
          <RedeemPanel />
          {!paysOnline && <TopUpPanel />}
        </SimpleGrid>
        <PlansPanel />
        <AutoTopUpPanel />
        <Orders />
      </Stack>
    </>
  );
}
