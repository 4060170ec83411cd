import { encode } from 'uqr';

/** Width of the white border that scanners need, in modules. */
const BORDER = 2;

export interface QrCodeProps {
  readonly text: string;
  readonly label: string;
}

/** A QR code, drawn in the browser so that no server sees the text. Black on white in both themes, for scanners. */
export function QrCode({ text, label }: QrCodeProps) {
  const { data, size } = encode(text, { border: BORDER });
  const path = data
    .flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : [])))
    .join('');
  return (
    <svg
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
      className="size-44 rounded-md border border-line"
    >
      <rect width={size} height={size} fill="#ffffff" />
      <path d={path} fill="#000000" />
    </svg>
  );
}
