import { Button, Select, Skeleton, Switch } from '@mantine/core';
import { product, type StatementData } from '@tollgate/contract';
import { useQuery } from '@tanstack/react-query';
import { Download, FileText, ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import { errorMessage } from '../../lib/api/api-error.ts';
import { useStatus } from '../../lib/api/status.ts';
import { downloadFile } from '../../lib/format/csv.ts';
import { localeOf, useLanguage, useTranslate } from '../../lib/i18n.ts';
import { toast } from '../../shared/feedback/toast.ts';
import { LoadError } from '../../shared/state/load-error.tsx';
import { numberParam, textParam } from '../../shared/url-state/params.ts';
import { useUrlState } from '../../shared/url-state/use-url-state.ts';
import { PageHead } from '../../ui/page-head.tsx';
import classes from './page.module.css';
import { readFile, type StatementFile, statementQuery, useMail, type WhichStatement } from './queries.ts';
import { Sheet } from './sheet.tsx';
import { text } from './text.ts';

/** URL parameters; 0 and '' for one's own wallet and the present month. */
const search = { month: textParam(), team: numberParam(0), user: numberParam(0) };

/** November 2026, in a locale. */
const monthName = (month: string, locale: string): string =>
  new Intl.DateTimeFormat(locale, { year: 'numeric', month: 'long', timeZone: 'UTC' }).format(
    new Date(`${month}-01T00:00:00Z`),
  );

/** A month of a wallet, on a sheet that can be printed. */
export function Page() {
  const t = useTranslate();
  const [which, setSearch] = useUrlState(search);
  const { data, error, refetch } = useQuery(statementQuery(which));
  const isNow = data !== undefined && data.month === data.months[0];
  const actions = data && (
    <Actions
      statement={data}
      which={which}
      onMonth={(month) => setSearch({ month: month === data.months[0] ? '' : month })}
    />
  );
  return (
    <>
      <PageHead
        title={t(text.title)}
        hint={data && t(text.hint, { holder: data.holder, zone: data.time_zone })}
        actions={actions}
      />
      {data ? (
        <div className={classes.sheet}>
          <PrintedHead statement={data} />
          <Sheet statement={data} isNow={isNow} />
          {which.user === 0 && <MailSwitch which={which} mailed={data.mailed} />}
        </div>
      ) : error ? (
        <LoadError error={error} onRetry={refetch} />
      ) : (
        <Skeleton height={320} />
      )}
    </>
  );
}

/** Names the site and the month, on paper only. */
function PrintedHead({ statement: { month } }: { statement: StatementData }) {
  const locale = localeOf(useLanguage());
  const status = useStatus();
  return (
    <p className={classes.printed}>
      {status?.system_name} · {monthName(month, locale)}
    </p>
  );
}

interface ActionsProps {
  statement: StatementData;
  which: WhichStatement;
  onMonth: (month: string) => void;
}

function Actions({ statement, which, onMonth }: ActionsProps) {
  const t = useTranslate();
  const language = useLanguage();
  const locale = localeOf(language);
  const [loading, setLoading] = useState<StatementFile | null>(null);
  const { month, months } = statement;
  const isSigned = useStatus()?.signed_receipts === true;
  const download = async (format: StatementFile) => {
    setLoading(format);
    try {
      const file = await readFile({ ...which, month }, format);
      const what = format === 'jsonl' ? 'receipts' : 'statement';
      downloadFile(`${product.id}-${what}-${month}.${format}`, file);
    } catch (error) {
      toast.bad(errorMessage(error, language));
    } finally {
      setLoading(null);
    }
  };
  return (
    <div className={classes.actions}>
      <Select
        aria-label={t(text.month)}
        w={180}
        data={months.map((value) => ({ value, label: monthName(value, locale) }))}
        value={month}
        onChange={(chosen) => chosen !== null && onMonth(chosen)}
        allowDeselect={false}
      />
      <Button
        variant="default"
        leftSection={<FileText size={15} />}
        loading={loading === 'pdf'}
        onClick={() => void download('pdf')}
      >
        {t(text.pdf)}
      </Button>
      <Button
        variant="default"
        leftSection={<Download size={15} />}
        loading={loading === 'csv'}
        onClick={() => void download('csv')}
      >
        {t(text.csv)}
      </Button>
      {isSigned && (
        <Button
          variant="default"
          leftSection={<ShieldCheck size={15} />}
          loading={loading === 'jsonl'}
          onClick={() => void download('jsonl')}
        >
          {t(text.signed)}
        </Button>
      )}
    </div>
  );
}

function MailSwitch({ which, mailed }: { which: WhichStatement; mailed: boolean }) {
  const t = useTranslate();
  const mail = useMail(which);
  return (
    <Switch
      className={classes.mail}
      label={t(text.mail)}
      description={t(text.mailHint)}
      checked={mailed}
      disabled={mail.isPending}
      onChange={({ currentTarget: { checked } }) =>
        mail.mutate(checked, { onSuccess: () => toast.good(t(checked ? text.mailOn : text.mailOff)) })
      }
    />
  );
}
