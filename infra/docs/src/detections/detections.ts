import { createHash } from 'node:crypto';
import { copilotDetections } from './copilot-detections.ts';
import type { Detection, ProviderRecord } from './detection.ts';
import { entraAccountDetections } from './entra-account-detections.ts';
import { entraPolicyDetections } from './entra-policy-detections.ts';
import { entraPrivilegeDetections } from './entra-privilege-detections.ts';
import { entraSignInDetections } from './entra-sign-in-detections.ts';
import { exchangeDetections } from './exchange-detections.ts';
import { googleDetections } from './google-detections.ts';
import { oktaDetections } from './okta-detections.ts';
import { suiteDetections } from './suite-detections.ts';

/** The chapters of the page, in its order. */
export const detectionChapters: readonly { readonly title: string; readonly detections: readonly Detection[] }[] = [
  { title: 'Sign-ins of Microsoft Entra', detections: entraSignInDetections },
  { title: 'Roles and applications of Microsoft Entra', detections: entraPrivilegeDetections },
  { title: 'Policies and federation of Microsoft Entra', detections: entraPolicyDetections },
  { title: 'Accounts and devices of Microsoft Entra', detections: entraAccountDetections },
  { title: 'Exchange Online', detections: exchangeDetections },
  { title: 'SharePoint, OneDrive, Teams, Purview and Defender', detections: suiteDetections },
  { title: 'Microsoft 365 Copilot and agents', detections: copilotDetections },
  { title: 'Okta', detections: oktaDetections },
  { title: 'Google Workspace', detections: googleDetections },
];

export const detections: readonly Detection[] = detectionChapters.flatMap((chapter) => chapter.detections);

/** The record as the provider sends it, with an id of its own, so that no two are the same row. */
export function buildRecord(detection: Detection, kind: 'match' | 'other'): ProviderRecord {
  const digest = createHash('sha256').update(`${detection.id}/${kind}`).digest('hex');
  const id = `${digest.slice(0, 8)}-${digest.slice(8, 12)}-4${digest.slice(13, 16)}-8${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
  const record = detection[kind];
  switch (detection.format) {
    case 'entra.signin.azuremonitor':
      return { ...record, properties: { ...(record.properties as ProviderRecord), id } };
    case 'o365.management-activity':
      return { ...record, Id: id };
    case 'okta.system-log':
      return { ...record, uuid: id };
    case 'google.reports.activity':
      return {
        ...record,
        id: { ...(record.id as ProviderRecord), uniqueQualifier: `-${parseInt(digest.slice(0, 12), 16)}` },
      };
    default:
      return { ...record, id };
  }
}
