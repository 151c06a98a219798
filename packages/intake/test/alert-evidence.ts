/** One piece of evidence of every kind that is read, and some that are not. */
export const evidence = [
  {
    '@odata.type': '#microsoft.graph.security.userEvidence',
    verdict: 'suspicious',
    roles: ['compromised'],
    userAccount: { accountName: 'ada', azureAdUserId: 'u-1', userSid: 'S-1-5-21', userPrincipalName: null },
  },
  {
    '@odata.type': '#microsoft.graph.security.mailboxEvidence',
    verdict: 'unknown',
    roles: ['attacked'],
    displayName: 'Ada Lovelace',
    primaryAddress: 'ada@contoso.example',
    userAccount: { azureAdUserId: 'u-1', displayName: null },
  },
  {
    '@odata.type': '#microsoft.graph.security.processEvidence',
    verdict: 'malicious',
    userAccount: { accountName: 'svc', userSid: 'S-1-5-18' },
  },
  { '@odata.type': '#microsoft.graph.security.processEvidence', verdict: 'malicious', userAccount: null },
  {
    '@odata.type': '#microsoft.graph.security.securityGroupEvidence',
    securityGroupId: 'g-1',
    displayName: 'Finance',
    verdict: 'unknown',
    roles: [],
  },
  { '@odata.type': '#microsoft.graph.security.teamsMessageEvidence', groupId: 'g-2', verdict: 'suspicious' },
  {
    '@odata.type': '#microsoft.graph.security.analyzedMessageEvidence',
    networkMessageId: 'n-1',
    internetMessageId: '<m1@evil.example>',
    subject: 'Invoice',
    p1Sender: { emailAddress: 'bounce@evil.example' },
    p2Sender: { emailAddress: 'boss@evil.example' },
    recipientEmailAddress: 'ada@contoso.example',
    receivedDateTime: '2026-11-20T07:50:00Z',
    deliveryAction: 'delivered',
    verdict: 'malicious',
  },
  {
    '@odata.type': '#microsoft.graph.security.mailClusterEvidence',
    networkMessageIds: ['n-1', 'n-2'],
    verdict: 'unknown',
  },
  {
    '@odata.type': '#microsoft.graph.security.oauthApplicationEvidence',
    objectId: 'o-1',
    appId: 'a-1',
    displayName: 'Mail Helper',
    verdict: 'malicious',
  },
  {
    '@odata.type': '#microsoft.graph.security.servicePrincipalEvidence',
    servicePrincipalObjectId: 's-1',
    appId: 'a-2',
    servicePrincipalName: 'Backup',
  },
  { '@odata.type': '#microsoft.graph.security.cloudApplicationEvidence', appId: 20893, displayName: 'Box' },
  {
    '@odata.type': '#microsoft.graph.security.aiAgentEvidence',
    agentId: 'agent-1',
    agentName: 'Sales Helper',
    instructions: 'Never tell anyone.',
  },
  { '@odata.type': '#microsoft.graph.security.deviceEvidence', deviceDnsName: 'laptop' },
  { '@odata.type': 'constructor' },
  'no evidence',
];

const device = '33333333-0000-4000-8000-00000000000a';
const invoice = { fileName: 'invoice.exe', filePath: 'C:\\Temp', sha256: 'AA'.repeat(32), sha1: 'bb'.repeat(20) };

/** Devices, files and addresses; some are mentioned twice. */
export const deviceEvidence = [
  {
    '@odata.type': '#microsoft.graph.security.deviceEvidence',
    azureAdDeviceId: device.toUpperCase(),
    mdeDeviceId: 'mde-1',
    deviceDnsName: 'laptop.contoso.example',
    osPlatform: 'Windows11',
    version: '23H2',
    roles: ['compromised'],
    verdict: 'suspicious',
  },
  {
    '@odata.type': '#microsoft.graph.security.fileEvidence',
    fileDetails: { ...invoice, fileSize: 36864 },
    mdeDeviceId: 'mde-1',
    roles: ['source'],
    verdict: 'suspicious',
  },
  {
    '@odata.type': '#microsoft.graph.security.processEvidence',
    imageFile: invoice,
    parentProcessImageFile: { fileName: 'cmd.exe', filePath: 'C:\\Windows\\System32', sha1: null },
    mdeDeviceId: 'mde-2',
    verdict: 'malicious',
  },
  { '@odata.type': '#microsoft.graph.security.fileHashEvidence', algorithm: 'md5', value: 'dd'.repeat(16) },
  {
    '@odata.type': '#microsoft.graph.security.fileHashEvidence',
    algorithm: 'sha1',
    value: 'CC'.repeat(20),
    verdict: 'suspicious',
  },
  {
    '@odata.type': '#microsoft.graph.security.ipEvidence',
    ipAddress: '198.51.100.7',
    countryLetterCode: 'PL',
    roles: ['attacker'],
    verdict: 'malicious',
  },
  {
    '@odata.type': '#microsoft.graph.security.networkConnectionEvidence',
    sourceAddress: { ipAddress: '192.0.2.9' },
    destinationAddress: { ipAddress: '198.51.100.7' },
  },
  { '@odata.type': '#microsoft.graph.security.analyzedMessageEvidence', senderIp: '2001:DB8:0::1' },
  {
    '@odata.type': '#microsoft.graph.security.ioTDeviceEvidence',
    deviceId: 'camera-1',
    deviceName: 'Camera',
    operatingSystem: 'Linux',
    ipAddress: { ipAddress: 'none' },
  },
];
