"""Providers of mailboxes for everybody: at their domains only the whole address identifies, never the domain."""

from __future__ import annotations


def _listed(names: str) -> frozenset[str]:
    return frozenset(names.split())


_BRANDS = _listed(
    """
    aol gmail gmx googlemail hotmail icloud live mailinator msn outlook pm proton protonmail rediffmail rocketmail
    tutanota tuta web windowslive yahoo yandex ymail zoho zohomail
    """
)
"""Names that stand for a provider under every ending: yahoo.co.uk, gmx.net, hotmail.fr."""

_DOMAINS = _listed(
    """
    126.com 139.com 163.com 189.cn abv.bg aim.com alice.it aliyun.com aon.at arcor.de att.net attglobal.net
    bbox.fr bell.net bellsouth.net bigpond.com bigpond.net.au blueyonder.co.uk bluewin.ch bol.com.br
    bredband.net bt.com btinternet.com btopenworld.com cableone.net centrum.cz centurylink.net charter.net
    chello.nl clear.net.nz club-internet.fr comcast.net comhem.se cox.net daum.net docomo.ne.jp duck.com
    earthlink.net eircom.net email.com email.cz embarqmail.com ezweb.ne.jp fastmail.com fastmail.fm foxmail.com
    free.fr freenet.de frontier.com frontiernet.net globo.com hanmail.net hey.com home.nl hushmail.com i.ua
    iinet.net.au inbox.com inbox.lv inbox.ru interia.pl juno.com kpnmail.nl laposte.net libero.it list.ru
    lycos.com mac.com mail.com mail.de mail.ru mailbox.org me.com mindspring.com mts.net naver.com netscape.net
    netzero.net neuf.fr nifty.com ntlworld.com numericable.fr o2.pl online.de online.no onet.pl optonline.net
    optusnet.com.au orange.fr pacbell.net passport.com planet.nl posteo.de posteo.net prodigy.net ptd.net q.com
    qq.com rambler.ru roadrunner.com rogers.com rr.com runbox.com sapo.pt sbcglobal.net seznam.cz sfr.fr shaw.ca
    sina.com skynet.be sky.com sohu.com spectrum.net sympatico.ca t-online.de talktalk.net telenet.be telia.com
    telus.net terra.com.br tin.it tiscali.co.uk tiscali.it tpg.com.au uol.com.br ukr.net verizon.net
    videotron.ca virgilio.it virginmedia.com vodafone.de volny.cz wanadoo.fr westnet.com.au windstream.net wp.pl
    xs4all.nl xtra.co.nz yeah.net ziggo.nl zonnet.nl
    """
)

_LONGEST_ENDING = 3
"""How long a part of an ending under which providers offer mailboxes is: com, net, co.uk, com.br."""


def is_public(domain: str) -> bool:
    """Whether the addresses at a domain, in lower case, belong to different people."""
    brand, _, ending = domain.partition(".")
    parts = ending.split(".")
    branded = brand in _BRANDS and len(parts) <= 2 and all(len(part) <= _LONGEST_ENDING for part in parts)
    return branded or domain in _DOMAINS
