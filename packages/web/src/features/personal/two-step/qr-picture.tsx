import encodeQR from 'qr';
import classes from './two-step.module.css';

interface QrPictureProps {
  text: string;
  label: string;
}

/** A QR code, drawn here: what it says is a secret, so nobody else is asked to draw it. */
export function QrPicture({ text, label }: QrPictureProps) {
  const rows = encodeQR(text, 'raw', { border: 2 });
  const path = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg
      className={classes.qr}
      viewBox={`0 0 ${rows.length} ${rows.length}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <path d={path.join('')} />
    </svg>
  );
}
