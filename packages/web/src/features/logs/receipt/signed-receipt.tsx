import { Button } from '@mantine/core';
import { product, type ReceiptData } from '@tollgate/contract';
import { ShieldCheck } from 'lucide-react';
import { useStatus } from '../../../lib/api/status.ts';
import { downloadText } from '../../../lib/format/csv.ts';
import { useTranslate } from '../../../lib/i18n.ts';
import classes from './receipt.module.css';
import { receiptText as text } from './receipt-text.ts';

/** The signed receipts of a call as a file: its charge, and later changes of it. */
export function SignedReceipt({ receipt }: { receipt: ReceiptData }) {
  const { signed, request_id: id, team_id: team } = receipt;
  const t = useTranslate();
  const isOn = useStatus()?.signed_receipts === true;
  // Members of an organisation get none, because it shows the balance.
  if (signed.length === 0 && (!isOn || team !== 0)) return null;
  const download = (): void => {
    const lines = signed.map((line) => `${line}\n`);
    downloadText(`${product.id}-receipt-${id}.jsonl`, lines, 'application/jsonl');
  };
  return (
    <div>
      <h2 className={classes.heading}>{t(text.signed)}</h2>
      {signed.length > 0 && (
        <Button size="xs" variant="default" leftSection={<ShieldCheck size={14} />} onClick={download}>
          {t(text.downloadSigned)}
        </Button>
      )}
      <p className={classes.ratios}>
        {signed.length > 0 ? t(text.signedHint, { command: `${product.id} verify` }) : t(text.notSigned)}
      </p>
    </div>
  );
}
