/** The German text of the pages that the server writes. */
import type { Catalogue } from '../../shared/words.ts'
import { germanAdmin } from './german-admin.ts'

export const german: Catalogue = {
  ...germanAdmin,
  'A program': 'Ein Programm',
  'a device': 'einem Gerät',
  Account: 'Konto',
  'Account deleted': 'Konto gelöscht',
  'Add a passkey': 'Passkey hinzufügen',
  '{browser} on {system}': '{browser} unter {system}',
  'A browser': 'Ein Browser',
  'Added {when}': 'Hinzugefügt: {when}',
  Allow: 'Erlauben',
  'Allow this sign-in?': 'Diese Anmeldung erlauben?',
  'Already have an account?': 'Du hast schon ein Konto?',
  'An account could not be created with this email. If you already have one, sign in.':
    'Mit dieser E-Mail-Adresse konnte kein Konto erstellt werden. Wenn du schon eines hast, melde dich an.',
  App: 'App',
  'Approve only if you just started this yourself. The device can then open, change and delete your documents until you sign it out.':
    'Bestätige nur, wenn du das gerade selbst gestartet hast. Das Gerät kann dann deine Dokumente öffnen, ändern und löschen, bis du es abmeldest.',
  'Approve this sign-in?': 'Diese Anmeldung bestätigen?',
  Approved: 'Bestätigt',
  'Ask the person who runs this server for a reset link. It works once, for {count} hours, and lets you set a new password.':
    'Bitte die Person, die diesen Server betreibt, um einen Link zum Zurücksetzen. Er funktioniert einmal und {count} Stunden lang. Damit legst du ein neues Passwort fest.',
  'At least {count} characters. Several words make a good password.':
    'Mindestens {count} Zeichen. Mehrere Wörter ergeben ein gutes Passwort.',
  'Back to your account': 'Zurück zu deinem Konto',
  Cancel: 'Abbrechen',
  'Change password': 'Passwort ändern',
  'Choose a password that is not your email address.': 'Dein Passwort darf nicht deine E-Mail-Adresse sein.',
  Code: 'Code',
  'Your comments and edits in other people’s documents stay, with your name.':
    'Deine Kommentare und Änderungen in Dokumenten anderer bleiben, mit deinem Namen.',
  'Compute nodes': 'Rechner',
  'Connect a device': 'Gerät verbinden',
  Connected: 'Verbunden',
  Continue: 'Weiter',
  'Create account': 'Konto erstellen',
  'Create an account': 'Konto erstellen',
  'Create token': 'Token erstellen',
  'Create your account as {email}.': 'Erstelle dein Konto als {email}.',
  'Current password': 'Aktuelles Passwort',
  'Delete account': 'Konto löschen',
  'Delete account…': 'Konto löschen…',
  'Delete your account?': 'Dein Konto löschen?',
  Denied: 'Abgelehnt',
  Deny: 'Ablehnen',
  Email: 'E-Mail',
  'Enter a name.': 'Gib einen Namen ein.',
  'Enter a valid email address.': 'Gib eine gültige E-Mail-Adresse ein.',
  'Enter the code that your device shows.': 'Gib den Code ein, den dein Gerät anzeigt.',
  'Anyone with a link can still open them, and anyone with an owner link can still manage them. Documents without a link or a published page go to the trash.':
    'Wer einen Link hat, kann sie weiter öffnen, und mit Besitzerlinks lassen sie sich weiter verwalten. Dokumente ohne Link und ohne veröffentlichte Seite kommen in den Papierkorb.',
  'For everyone': 'Für alle',
  'Forgot password?': 'Passwort vergessen?',
  'Forgot your password? Ask the person who runs this server for a reset link.':
    'Passwort vergessen? Bitte die Person, die diesen Server betreibt, um einen Link zum Zurücksetzen.',
  'Go to your documents': 'Zu deinen Dokumenten',
  'If you have a passkey, you can sign in with it instead.': 'Wenn du einen Passkey hast, kannst du dich stattdessen damit anmelden.',
  'Is this your device?': 'Ist das dein Gerät?',
  'The owner may have unpublished the page, or part of the address may be missing.':
    'Vielleicht hat der Besitzer die Veröffentlichung beendet, oder ein Teil der Adresse fehlt.',
  'just now': 'gerade eben',
  'Keep them': 'Behalten',
  'See which account is yours': 'Sehen, welches Konto dir gehört',
  'Last connected {when}': 'Zuletzt verbunden: {when}',
  'Last used {when}': 'Zuletzt benutzt: {when}',
  'Manage your devices': 'Deine Geräte verwalten',
  'Move them to the trash': 'In den Papierkorb legen',
  Name: 'Name',
  'Name (optional)': 'Name (optional)',
  'Name of the computer': 'Name des Computers',
  'Name saved.': 'Name gespeichert.',
  'Never connected': 'Nie verbunden',
  'New compute node': 'Neuer Rechner',
  'New password': 'Neues Passwort',
  'No account yet?': 'Noch kein Konto?',
  'No passkey was used. Try again, or use your password.':
    'Es wurde kein Passkey benutzt. Versuch es noch einmal, oder nimm dein Passwort.',
  'Others see this name. Without a name, they see “Someone”.': 'Diesen Namen sehen andere. Ohne Namen sehen sie „Jemand“.',
  Someone: 'Jemand',
  Passkeys: 'Passkeys',
  Password: 'Passwort',
  'Password changed. All other devices are signed out.': 'Passwort geändert. Alle anderen Geräte sind abgemeldet.',
  Profile: 'Profil',
  Remove: 'Entfernen',
  'Remove the passkey {name}': 'Den Passkey {name} entfernen',
  Revoke: 'Widerrufen',
  'Revoke the token for {name}': 'Das Token von {name} widerrufen',
  'Run this command on {name}. The token is shown only once. Anyone who has it receives everyone’s media jobs and their content.':
    'Führe diesen Befehl auf {name} aus. Das Token wird nur einmal angezeigt. Wer es hat, bekommt die Medienaufträge von allen samt Inhalt.',
  'Run this command on {name}. The token is shown only once. Anyone who has it receives your media jobs and their content.':
    'Führe diesen Befehl auf {name} aus. Das Token wird nur einmal angezeigt. Wer es hat, bekommt deine Medienaufträge samt Inhalt.',
  'Save name': 'Namen speichern',
  'See your email address': 'Deine E-Mail-Adresse sehen',
  'See your name': 'Deinen Namen sehen',
  'Set a new password': 'Neues Passwort festlegen',
  'Set a new password for {email}. This signs you out everywhere, removes your passkeys and revokes all tokens. It also disconnects all programs and computers.':
    'Lege ein neues Passwort für {email} fest. Du wirst überall abgemeldet, deine Passkeys werden entfernt und alle Token widerrufen. Außerdem werden alle Programme und Computer getrennt.',
  'Set password': 'Passwort festlegen',
  'Sign in': 'Anmelden',
  'Sign in with a passkey': 'Mit einem Passkey anmelden',
  'Sign in with your fingerprint, face or PIN instead of a password.':
    'Melde dich mit Fingerabdruck, Gesicht oder PIN an statt mit einem Passwort.',
  'Sign out': 'Abmelden',
  'Sign out everywhere': 'Überall abmelden',
  'Sign out {name}': '{name} abmelden',
  'Sign out?': 'Abmelden?',
  'Sign-in is not available': 'Die Anmeldung ist nicht verfügbar',
  'Signed in as {name}': 'Angemeldet als {name}',
  'Started {when} from {address}. The name is not verified.': 'Gestartet {when} von {address}. Der Name ist nicht geprüft.',
  'Stay signed in': 'Angemeldet bleiben',
  'Stay signed in for {count} days, or until you sign out everywhere':
    '{count} Tage lang angemeldet bleiben, oder bis du dich überall abmeldest',
  'That did not work': 'Das hat nicht geklappt',
  'The codes match. Approve': 'Die Codes stimmen überein. Bestätigen',
  'The device was not signed in. Nothing has changed.': 'Das Gerät wurde nicht angemeldet. Nichts hat sich geändert.',
  'The name is not verified. The program gets no access to your documents.':
    'Der Name ist nicht geprüft. Zugang zu deinen Dokumenten bekommt das Programm nicht.',
  'The passkey was not added. Open your account page and try again.':
    'Der Passkey wurde nicht hinzugefügt. Öffne deine Kontoseite und versuch es noch einmal.',
  'Their links stop working immediately. After {count} days the documents are deleted forever.':
    'Ihre Links funktionieren sofort nicht mehr. Nach {count} Tagen werden die Dokumente endgültig gelöscht.',
  'There is no page here': 'Diese Seite gibt es nicht',
  'This code is wrong or has expired. Check it, or start the sign-in again on your device.':
    'Dieser Code ist falsch oder abgelaufen. Prüfe ihn, oder beginne die Anmeldung auf deinem Gerät neu.',
  'This device': 'Dieses Gerät',
  'This does not match.': 'Das stimmt nicht überein.',
  'This link has expired or was already used. Ask for a new one.':
    'Dieser Link ist abgelaufen oder wurde schon benutzt. Bitte um einen neuen.',
  'This link no longer works. Ask for a new one.': 'Dieser Link funktioniert nicht mehr. Bitte um einen neuen.',
  'This passkey does not belong to an account on this server.': 'Dieser Passkey gehört zu keinem Konto auf diesem Server.',
  'This password is easy to guess. Choose another one.': 'Dieses Passwort ist leicht zu erraten. Wähle ein anderes.',
  'This server does not accept new accounts.': 'Dieser Server nimmt keine neuen Konten an.',
  'This session has already ended.': 'Diese Sitzung ist schon beendet.',
  'This sign-in has expired or was started in another browser. Start again.':
    'Diese Anmeldung ist abgelaufen oder wurde in einem anderen Browser gestartet. Fang noch einmal von vorn an.',
  'This sign-in took too long. Start again.': 'Diese Anmeldung hat zu lange gedauert. Fang noch einmal von vorn an.',
  'This sign-in was not started here.': 'Diese Anmeldung wurde nicht hier gestartet.',
  'This sign-in was started in another browser or is already complete.':
    'Diese Anmeldung wurde in einem anderen Browser gestartet oder ist schon abgeschlossen.',
  'This signs you out in this browser.': 'Du wirst in diesem Browser abgemeldet.',
  'Too many attempts. Try again in {count} minutes.': {
    one: 'Zu viele Versuche. Versuch es in 1 Minute noch einmal.',
    other: 'Zu viele Versuche. Versuch es in {count} Minuten noch einmal.'
  },
  'Too many attempts. Try again in {count} seconds.': {
    one: 'Zu viele Versuche. Versuch es in 1 Sekunde noch einmal.',
    other: 'Zu viele Versuche. Versuch es in {count} Sekunden noch einmal.'
  },
  'Type {name} to confirm': 'Gib zur Bestätigung {name} ein',
  'Use at least {count} characters.': 'Es müssen mindestens {count} Zeichen sein.',
  'Use at most {count} characters.': 'Es dürfen höchstens {count} Zeichen sein.',
  'Use your own computer for pictures and speech': 'Eigenen Computer für Bilder und Ton nutzen',
  'Your computer generates pictures and speech, transcribes recordings and reads text from pictures in your documents.':
    'Dein Computer erzeugt Bilder und Sprache, transkribiert Aufnahmen und liest Text aus Bildern in deinen Dokumenten.',
  '1 year': '1 Jahr',
  'What happens to your documents?': 'Was geschieht mit deinen Dokumenten?',
  'Where you are signed in': 'Angemeldete Geräte',
  'Wrong email or password.': 'E-Mail oder Passwort ist falsch.',
  'Wrong password.': 'Falsches Passwort.',
  'You already added this passkey.': 'Diesen Passkey hast du schon hinzugefügt.',
  'You are invited': 'Du bist eingeladen',
  'You are signed in as {name}.': 'Du bist als {name} angemeldet.',
  'You are signed out': 'Du bist abgemeldet',
  'This signs you out on all other devices. It also revokes all tokens and disconnects all programs and computers. You keep your passkeys.':
    'Du wirst auf allen anderen Geräten abgemeldet. Außerdem werden alle Token widerrufen und alle Programme und Computer getrennt. Deine Passkeys behältst du.',
  'You can still open documents with their links. Copies of documents stay on this device until you remove them from your documents.':
    'Dokumente kannst du weiter mit ihren Links öffnen. Kopien von Dokumenten bleiben auf diesem Gerät, bis du sie aus deinen Dokumenten entfernst.',
  'You canceled the sign-in.': 'Du hast die Anmeldung abgebrochen.',
  'You cannot add another passkey. Remove one first.': 'Du kannst keinen weiteren Passkey hinzufügen. Entferne zuerst einen.',
  'You choose what happens to your documents.': 'Du entscheidest, was mit deinen Dokumenten geschieht.',
  'You have been signed out. Sign in and enter the code again.': 'Du wurdest abgemeldet. Melde dich an und gib den Code noch einmal ein.',
  'You have been signed out. Sign in and try again.': 'Du wurdest abgemeldet. Melde dich an und versuch es noch einmal.',
  'Your account does not have this compute node.': 'Dein Konto hat diesen Rechner nicht.',
  'You may still be signed in at {address}.': 'Vielleicht bist du noch bei {address} angemeldet.',
  'You need an invitation to create an account. Ask the person who runs this server.':
    'Für ein Konto brauchst du eine Einladung. Frag die Person, die diesen Server betreibt.',
  'You sign in at {address}. You can change your password there.': 'Du meldest dich bei {address} an. Dort kannst du dein Passwort ändern.',
  'Your account has been deleted. Copies of documents stay on this device until you remove them from your documents.':
    'Dein Konto ist gelöscht. Kopien von Dokumenten bleiben auf diesem Gerät, bis du sie aus deinen Dokumenten entfernst.',
  'Your account has no password. To set one, ask the person who runs this server for a reset link.':
    'Dein Konto hat kein Passwort. Um eines festzulegen, bitte die Person, die diesen Server betreibt, um einen Link zum Zurücksetzen.',
  'This deletes your account immediately, including your password, passkeys, sessions and tokens. It also disconnects all programs and computers. You cannot undo this.':
    'Dein Konto wird sofort gelöscht, mit Passwort, Passkeys, Sitzungen und Token. Außerdem werden alle Programme und Computer getrennt. Das lässt sich nicht rückgängig machen.',
  'Your device is signed in. You can close this page.': 'Dein Gerät ist angemeldet. Du kannst diese Seite schließen.',
  'Your documents': 'Deine Dokumente',
  '{program} wants to sign in as you, {name}. Does it show this code?':
    '{program} möchte sich mit deinem Konto ({name}) anmelden. Zeigt das Gerät diesen Code?',
  '{program} wants to sign in as you. Continue only if your device shows this code now:':
    '{program} möchte sich mit deinem Konto anmelden. Mach nur weiter, wenn dein Gerät jetzt diesen Code zeigt:',
  '{program} wants to sign you in at {address}. It will be able to:': '{program} möchte dich bei {address} anmelden. Es kann dann:',

  // Programs and tokens.
  '{count} days': { one: '{count} Tag', other: '{count} Tage' },
  '{count} documents': { one: '{count} Dokument', other: '{count} Dokumente' },
  'Addresses of your documents, one per line. Leave empty for all documents.':
    'Adressen deiner Dokumente, eine pro Zeile. Leer lassen für alle Dokumente.',
  'all documents': 'alle Dokumente',
  'Allow access to your documents?': 'Zugriff auf deine Dokumente erlauben?',
  'Can comment': 'Kann kommentieren',
  'Can edit': 'Kann bearbeiten',
  'Can suggest': 'Kann vorschlagen',
  'Can read': 'Kann lesen',
  'Copy the token for {name} now. It is shown only once. Anyone who has it can use your documents with the access that you chose.':
    'Kopiere das Token für {name} jetzt. Es wird nur einmal angezeigt. Wer es hat, kann deine Dokumente so nutzen, wie du es erlaubt hast.',
  'Documents (optional)': 'Dokumente (optional)',
  'Ends after': 'Endet nach',
  'Ends on {date}': 'Endet am {date}',
  'Full access': 'Voller Zugriff',
  'It will also be able to:': 'Außerdem kann es:',
  'Name of the program': 'Name des Programms',
  'Never used': 'Nie benutzt',
  'New access token': 'Neues Zugriffstoken',
  'One of these documents is not yours.': 'Eines dieser Dokumente gehört dir nicht.',
  Program: 'Programm',
  'Programs and tokens': 'Programme und Token',
  'Revoke access for {name}': 'Zugriff von {name} widerrufen',
  Role: 'Rolle',
  'Send it as Authorization: Bearer, or set it as AGMD_TOKEN for the agmd command.':
    'Sende es als Authorization: Bearer, oder setze es als AGMD_TOKEN für den Befehl agmd.',
  'The name is not verified. Allow this only if you just started it yourself.':
    'Der Name ist nicht geprüft. Erlaube das nur, wenn du es gerade selbst gestartet hast.',
  'Programs work on your documents under their own names and yours. Their access ends when you sign out everywhere or change your password.':
    'Programme und Token bearbeiten deine Dokumente unter ihrem eigenen Namen und deinem. Ihr Zugriff endet, wenn du dich überall abmeldest oder dein Passwort änderst.',
  'This account has reached its limit of tokens and connected programs.':
    'Dieses Konto hat die Höchstzahl an Token und verbundenen Programmen erreicht.',
  Token: 'Token',
  'Edits by the program show its name and yours. You can end its access on your account page at any time. The access ends automatically after {count} days.':
    'Änderungen des Programms tragen seinen und deinen Namen. Du kannst den Zugriff jederzeit auf deiner Kontoseite beenden; nach {count} Tagen endet er von selbst.',
  'Your account does not have this token or program.': 'Dein Konto hat dieses Token oder Programm nicht.',
  'The program is described at {address}.': 'Das Programm ist unter {address} beschrieben.',
  'You will be sent to {address}.': 'Danach wirst du zu {address} weitergeleitet.',
  '{program} wants to work on all documents in your account {account}.':
    '{program} möchte an allen Dokumenten deines Kontos {account} arbeiten.',

  // Error messages of the domain (shared/errors.ts).
  'The request is not valid.': 'Die Anfrage ist ungültig.',
  'This request needs a credential.': 'Dafür musst du dich anmelden.',
  'The credential is not valid, has expired or was revoked.': 'Dein Zugang ist ungültig, abgelaufen oder wurde widerrufen.',
  'This request needs an account; a link alone is not enough.': 'Dafür brauchst du ein Konto; ein Link allein genügt nicht.',
  'This form is no longer valid.': 'Dieses Formular ist abgelaufen.',
  'Your role does not allow this.': 'Deine Rolle erlaubt das nicht.',
  'There is nothing at this address.': 'Unter dieser Adresse gibt es nichts.',
  'This document was deleted.': 'Dieses Dokument wurde gelöscht.',
  'The person who runs this server has taken this document down.': 'Die Person, die diesen Server betreibt, hat dieses Dokument gesperrt.',
  'This account is disabled.': 'Dieses Konto ist gesperrt.',
  'This account has no email address.': 'Dieses Konto hat keine E-Mail-Adresse.',
  'This person already has an account.': 'Diese Person hat schon ein Konto.',
  'This server does not accept new accounts (AGMD_SIGN_UP).': 'Dieser Server nimmt keine neuen Konten an (AGMD_SIGN_UP).',
  'An external issuer (AGMD_AUTH_URL) manages the accounts of this server.':
    'Ein externer Anbieter (AGMD_AUTH_URL) verwaltet die Konten dieses Servers.',
  'You cannot do this to your own account. Use the account page.': 'Das geht nicht mit deinem eigenen Konto. Verwende die Kontoseite.',
  'Choose another account for the documents.': 'Wähle ein anderes Konto für die Dokumente.',
  'There is no such account.': 'Dieses Konto gibt es nicht.',
  'There is no such document.': 'Dieses Dokument gibt es nicht.',
  'There is no such token.': 'Dieses Token gibt es nicht.',
  'There is no such compute node.': 'Diesen Rechner gibt es nicht.',
  'The request body is too large.': 'Der Inhalt der Anfrage ist zu groß.',
  'This address does not accept the media type of the body.': 'Diese Adresse nimmt diese Art von Daten nicht an.',
  'This account has reached its limit of node tokens.': 'Dieses Konto hat die Höchstzahl an Token erreicht.',
  'Too many requests.': 'Zu viele Anfragen.',
  'The sign-in could not be completed.': 'Die Anmeldung konnte nicht abgeschlossen werden.',
  'The identity provider is not responding.': 'Der Anmeldedienst antwortet nicht.'
}
