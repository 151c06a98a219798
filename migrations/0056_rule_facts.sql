-- schemas: models
--
-- What rules compare of detections, alerts and users, in a narrow row for each. Six statements of a compliance status read the documents of all detections and alerts, up to
-- a kilobyte each, and four parsed the facts of all users: these took 1.1 of the 2.3 s of processor time of a tenant with 100,000 detections, 17,600 alerts and 20,000 users.
-- Written by triggers with the record, so that whatever writes it, an older process or a copy of the tenant, writes this row too. Null is what was not reported.
create table models.incident_fact (
  tenant_id     uuid           not null,
  kind          text           collate "C" not null, -- 'detection' or 'securityAlert'
  id            text           collate "C" not null,
  opened_at     timestamptz(3) not null, -- of an alert, when its provider raised it
  found_at      timestamptz(3) not null, -- when the first state of a detection was stored; of an alert, when its provider raised it
  severity      text           collate "C",
  status        text           collate "C",
  level         text           collate "C",
  entity_type   text           collate "C",
  entity_id     text           collate "C",
  action_group  text           collate "C",
  is_resolved   boolean,
  resolved_at   timestamptz(3), -- null while a detection is open
  taken_up_at   timestamptz(3), -- of an alert, when its triage began at the latest
  is_complete   boolean        not null, -- it has a category, and the times of the activity and of the report
  concerns_mail boolean        not null,
  names         text[]         collate "C" not null, -- of the entity, or of users and apps, in lower case
  primary key (tenant_id, kind, id)
) with (fillfactor = 90);
create index incident_fact_opened on models.incident_fact (tenant_id, opened_at);
create index incident_fact_found on models.incident_fact (tenant_id, found_at);
alter table models.incident_fact enable row level security;
alter table models.incident_fact force row level security;
create policy owner on models.incident_fact to current_user using (true);
create policy tenant_isolation on models.incident_fact for select to tenantscope_api, tenantscope_jobs
  using (tenant_id = current_setting('tenantscope.tenant')::uuid);
grant select on models.incident_fact to tenantscope_api, tenantscope_jobs;

-- A text in lower case as JavaScript puts names, character by character: `lower()` with the collation "C" leaves those beyond A to Z as they are, and not every server
-- has another collation. Most texts have none of them.
create function models.lower_case(value text) returns text
  language sql immutable
begin atomic
  select case when octet_length(value) = char_length(value) then lower(value)
              else translate(value, 'ABCDEFGHIJKLMNOPQRSTUVWXYZÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞĀĂĄĆĈĊČĎĐĒĔĖĘĚĜĞĠĢĤĦĨĪĬĮĲĴĶĹĻĽĿŁŃŅŇŊŌŎŐŒŔŖŘŚŜŞŠŢŤŦŨŪŬŮŰŲŴŶŸŹŻŽƁƂƄƆƇƉƊƋƎƏƐƑƓƔƖƗƘƜƝƟƠƢƤƦƧƩƬƮƯƱƲƳƵƷƸƼǄǅǇǈǊǋǍǏǑǓǕǗǙǛǞǠǢǤǦǨǪǬǮǱǲǴǶǷǸǺǼǾȀȂȄȆȈȊȌȎȐȒȔȖȘȚȜȞȠȢȤȦȨȪȬȮȰȲȺȻȽȾɁɃɄɅɆɈɊɌɎͰͲͶͿΆΈΉΊΌΎΏΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΪΫϏϘϚϜϞϠϢϤϦϨϪϬϮϴϷϹϺϽϾϿЀЁЂЃЄЅІЇЈЉЊЋЌЍЎЏАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯѠѢѤѦѨѪѬѮѰѲѴѶѸѺѼѾҀҊҌҎҐҒҔҖҘҚҜҞҠҢҤҦҨҪҬҮҰҲҴҶҸҺҼҾӀӁӃӅӇӉӋӍӐӒӔӖӘӚӜӞӠӢӤӦӨӪӬӮӰӲӴӶӸӺӼӾԀԂԄԆԈԊԌԎԐԒԔԖԘԚԜԞԠԢԤԦԨԪԬԮԱԲԳԴԵԶԷԸԹԺԻԼԽԾԿՀՁՂՃՄՅՆՇՈՉՊՋՌՍՎՏՐՑՒՓՔՕՖႠႡႢႣႤႥႦႧႨႩႪႫႬႭႮႯႰႱႲႳႴႵႶႷႸႹႺႻႼႽႾႿჀჁჂჃჄჅჇჍᎠᎡᎢᎣᎤᎥᎦᎧᎨᎩᎪᎫᎬᎭᎮᎯᎰᎱᎲᎳᎴᎵᎶᎷᎸᎹᎺᎻᎼᎽᎾᎿᏀᏁᏂᏃᏄᏅᏆᏇᏈᏉᏊᏋᏌᏍᏎᏏᏐᏑᏒᏓᏔᏕᏖᏗᏘᏙᏚᏛᏜᏝᏞᏟᏠᏡᏢᏣᏤᏥᏦᏧᏨᏩᏪᏫᏬᏭᏮᏯᏰᏱᏲᏳᏴᏵᲉᲐᲑᲒᲓᲔᲕᲖᲗᲘᲙᲚᲛᲜᲝᲞᲟᲠᲡᲢᲣᲤᲥᲦᲧᲨᲩᲪᲫᲬᲭᲮᲯᲰᲱᲲᲳᲴᲵᲶᲷᲸᲹᲺᲽᲾᲿḀḂḄḆḈḊḌḎḐḒḔḖḘḚḜḞḠḢḤḦḨḪḬḮḰḲḴḶḸḺḼḾṀṂṄṆṈṊṌṎṐṒṔṖṘṚṜṞṠṢṤṦṨṪṬṮṰṲṴṶṸṺṼṾẀẂẄẆẈẊẌẎẐẒẔẞẠẢẤẦẨẪẬẮẰẲẴẶẸẺẼẾỀỂỄỆỈỊỌỎỐỒỔỖỘỚỜỞỠỢỤỦỨỪỬỮỰỲỴỶỸỺỼỾἈἉἊἋἌἍἎἏἘἙἚἛἜἝἨἩἪἫἬἭἮἯἸἹἺἻἼἽἾἿὈὉὊὋὌὍὙὛὝὟὨὩὪὫὬὭὮὯᾈᾉᾊᾋᾌᾍᾎᾏᾘᾙᾚᾛᾜᾝᾞᾟᾨᾩᾪᾫᾬᾭᾮᾯᾸᾹᾺΆᾼῈΈῊΉῌῘῙῚΊῨῩῪΎῬῸΌῺΏῼΩKÅℲⅠⅡⅢⅣⅤⅥⅦⅧⅨⅩⅪⅫⅬⅭⅮⅯↃⒶⒷⒸⒹⒺⒻⒼⒽⒾⒿⓀⓁⓂⓃⓄⓅⓆⓇⓈⓉⓊⓋⓌⓍⓎⓏⰀⰁⰂⰃⰄⰅⰆⰇⰈⰉⰊⰋⰌⰍⰎⰏⰐⰑⰒⰓⰔⰕⰖⰗⰘⰙⰚⰛⰜⰝⰞⰟⰠⰡⰢⰣⰤⰥⰦⰧⰨⰩⰪⰫⰬⰭⰮⰯⱠⱢⱣⱤⱧⱩⱫⱭⱮⱯⱰⱲⱵⱾⱿⲀⲂⲄⲆⲈⲊⲌⲎⲐⲒⲔⲖⲘⲚⲜⲞⲠⲢⲤⲦⲨⲪⲬⲮⲰⲲⲴⲶⲸⲺⲼⲾⳀⳂⳄⳆⳈⳊⳌⳎⳐⳒⳔⳖⳘⳚⳜⳞⳠⳢⳫⳭⳲꙀꙂꙄꙆꙈꙊꙌꙎꙐꙒꙔꙖꙘꙚꙜꙞꙠꙢꙤꙦꙨꙪꙬꚀꚂꚄꚆꚈꚊꚌꚎꚐꚒꚔꚖꚘꚚꜢꜤꜦꜨꜪꜬꜮꜲꜴꜶꜸꜺꜼꜾꝀꝂꝄꝆꝈꝊꝌꝎꝐꝒꝔꝖꝘꝚꝜꝞꝠꝢꝤꝦꝨꝪꝬꝮꝹꝻꝽꝾꞀꞂꞄꞆꞋꞍꞐꞒꞖꞘꞚꞜꞞꞠꞢꞤꞦꞨꞪꞫꞬꞭꞮꞰꞱꞲꞳꞴꞶꞸꞺꞼꞾꟀꟂꟄꟅꟆꟇꟉꟋꟌ꟎Ꟑ꟒꟔ꟖꟘꟚꟜꟵＡＢＣＤＥＦＧＨＩＪＫＬＭＮＯＰＱＲＳＴＵＶＷＸＹＺ𐐀𐐁𐐂𐐃𐐄𐐅𐐆𐐇𐐈𐐉𐐊𐐋𐐌𐐍𐐎𐐏𐐐𐐑𐐒𐐓𐐔𐐕𐐖𐐗𐐘𐐙𐐚𐐛𐐜𐐝𐐞𐐟𐐠𐐡𐐢𐐣𐐤𐐥𐐦𐐧𐒰𐒱𐒲𐒳𐒴𐒵𐒶𐒷𐒸𐒹𐒺𐒻𐒼𐒽𐒾𐒿𐓀𐓁𐓂𐓃𐓄𐓅𐓆𐓇𐓈𐓉𐓊𐓋𐓌𐓍𐓎𐓏𐓐𐓑𐓒𐓓𐕰𐕱𐕲𐕳𐕴𐕵𐕶𐕷𐕸𐕹𐕺𐕼𐕽𐕾𐕿𐖀𐖁𐖂𐖃𐖄𐖅𐖆𐖇𐖈𐖉𐖊𐖌𐖍𐖎𐖏𐖐𐖑𐖒𐖔𐖕𐲀𐲁𐲂𐲃𐲄𐲅𐲆𐲇𐲈𐲉𐲊𐲋𐲌𐲍𐲎𐲏𐲐𐲑𐲒𐲓𐲔𐲕𐲖𐲗𐲘𐲙𐲚𐲛𐲜𐲝𐲞𐲟𐲠𐲡𐲢𐲣𐲤𐲥𐲦𐲧𐲨𐲩𐲪𐲫𐲬𐲭𐲮𐲯𐲰𐲱𐲲𐵐𐵑𐵒𐵓𐵔𐵕𐵖𐵗𐵘𐵙𐵚𐵛𐵜𐵝𐵞𐵟𐵠𐵡𐵢𐵣𐵤𐵥𑢠𑢡𑢢𑢣𑢤𑢥𑢦𑢧𑢨𑢩𑢪𑢫𑢬𑢭𑢮𑢯𑢰𑢱𑢲𑢳𑢴𑢵𑢶𑢷𑢸𑢹𑢺𑢻𑢼𑢽𑢾𑢿𖹀𖹁𖹂𖹃𖹄𖹅𖹆𖹇𖹈𖹉𖹊𖹋𖹌𖹍𖹎𖹏𖹐𖹑𖹒𖹓𖹔𖹕𖹖𖹗𖹘𖹙𖹚𖹛𖹜𖹝𖹞𖹟𖺠𖺡𖺢𖺣𖺤𖺥𖺦𖺧𖺨𖺩𖺪𖺫𖺬𖺭𖺮𖺯𖺰𖺱𖺲𖺳𖺴𖺵𖺶𖺷𖺸𞤀𞤁𞤂𞤃𞤄𞤅𞤆𞤇𞤈𞤉𞤊𞤋𞤌𞤍𞤎𞤏𞤐𞤑𞤒𞤓𞤔𞤕𞤖𞤗𞤘𞤙𞤚𞤛𞤜𞤝𞤞𞤟𞤠𞤡',
                             'abcdefghijklmnopqrstuvwxyzàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþāăąćĉċčďđēĕėęěĝğġģĥħĩīĭįĳĵķĺļľŀłńņňŋōŏőœŕŗřśŝşšţťŧũūŭůűųŵŷÿźżžɓƃƅɔƈɖɗƌǝəɛƒɠɣɩɨƙɯɲɵơƣƥʀƨʃƭʈưʊʋƴƶʒƹƽǆǆǉǉǌǌǎǐǒǔǖǘǚǜǟǡǣǥǧǩǫǭǯǳǳǵƕƿǹǻǽǿȁȃȅȇȉȋȍȏȑȓȕȗșțȝȟƞȣȥȧȩȫȭȯȱȳⱥȼƚⱦɂƀʉʌɇɉɋɍɏͱͳͷϳάέήίόύώαβγδεζηθικλμνξοπρστυφχψωϊϋϗϙϛϝϟϡϣϥϧϩϫϭϯθϸϲϻͻͼͽѐёђѓєѕіїјљњћќѝўџабвгдежзийклмнопрстуфхцчшщъыьэюяѡѣѥѧѩѫѭѯѱѳѵѷѹѻѽѿҁҋҍҏґғҕҗҙқҝҟҡңҥҧҩҫҭүұҳҵҷҹһҽҿӏӂӄӆӈӊӌӎӑӓӕӗәӛӝӟӡӣӥӧөӫӭӯӱӳӵӷӹӻӽӿԁԃԅԇԉԋԍԏԑԓԕԗԙԛԝԟԡԣԥԧԩԫԭԯաբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆⴀⴁⴂⴃⴄⴅⴆⴇⴈⴉⴊⴋⴌⴍⴎⴏⴐⴑⴒⴓⴔⴕⴖⴗⴘⴙⴚⴛⴜⴝⴞⴟⴠⴡⴢⴣⴤⴥⴧⴭꭰꭱꭲꭳꭴꭵꭶꭷꭸꭹꭺꭻꭼꭽꭾꭿꮀꮁꮂꮃꮄꮅꮆꮇꮈꮉꮊꮋꮌꮍꮎꮏꮐꮑꮒꮓꮔꮕꮖꮗꮘꮙꮚꮛꮜꮝꮞꮟꮠꮡꮢꮣꮤꮥꮦꮧꮨꮩꮪꮫꮬꮭꮮꮯꮰꮱꮲꮳꮴꮵꮶꮷꮸꮹꮺꮻꮼꮽꮾꮿᏸᏹᏺᏻᏼᏽᲊაბგდევზთიკლმნოპჟრსტუფქღყშჩცძწჭხჯჰჱჲჳჴჵჶჷჸჹჺჽჾჿḁḃḅḇḉḋḍḏḑḓḕḗḙḛḝḟḡḣḥḧḩḫḭḯḱḳḵḷḹḻḽḿṁṃṅṇṉṋṍṏṑṓṕṗṙṛṝṟṡṣṥṧṩṫṭṯṱṳṵṷṹṻṽṿẁẃẅẇẉẋẍẏẑẓẕßạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹỻỽỿἀἁἂἃἄἅἆἇἐἑἒἓἔἕἠἡἢἣἤἥἦἧἰἱἲἳἴἵἶἷὀὁὂὃὄὅὑὓὕὗὠὡὢὣὤὥὦὧᾀᾁᾂᾃᾄᾅᾆᾇᾐᾑᾒᾓᾔᾕᾖᾗᾠᾡᾢᾣᾤᾥᾦᾧᾰᾱὰάᾳὲέὴήῃῐῑὶίῠῡὺύῥὸόὼώῳωkåⅎⅰⅱⅲⅳⅴⅵⅶⅷⅸⅹⅺⅻⅼⅽⅾⅿↄⓐⓑⓒⓓⓔⓕⓖⓗⓘⓙⓚⓛⓜⓝⓞⓟⓠⓡⓢⓣⓤⓥⓦⓧⓨⓩⰰⰱⰲⰳⰴⰵⰶⰷⰸⰹⰺⰻⰼⰽⰾⰿⱀⱁⱂⱃⱄⱅⱆⱇⱈⱉⱊⱋⱌⱍⱎⱏⱐⱑⱒⱓⱔⱕⱖⱗⱘⱙⱚⱛⱜⱝⱞⱟⱡɫᵽɽⱨⱪⱬɑɱɐɒⱳⱶȿɀⲁⲃⲅⲇⲉⲋⲍⲏⲑⲓⲕⲗⲙⲛⲝⲟⲡⲣⲥⲧⲩⲫⲭⲯⲱⲳⲵⲷⲹⲻⲽⲿⳁⳃⳅⳇⳉⳋⳍⳏⳑⳓⳕⳗⳙⳛⳝⳟⳡⳣⳬⳮⳳꙁꙃꙅꙇꙉꙋꙍꙏꙑꙓꙕꙗꙙꙛꙝꙟꙡꙣꙥꙧꙩꙫꙭꚁꚃꚅꚇꚉꚋꚍꚏꚑꚓꚕꚗꚙꚛꜣꜥꜧꜩꜫꜭꜯꜳꜵꜷꜹꜻꜽꜿꝁꝃꝅꝇꝉꝋꝍꝏꝑꝓꝕꝗꝙꝛꝝꝟꝡꝣꝥꝧꝩꝫꝭꝯꝺꝼᵹꝿꞁꞃꞅꞇꞌɥꞑꞓꞗꞙꞛꞝꞟꞡꞣꞥꞧꞩɦɜɡɬɪʞʇʝꭓꞵꞷꞹꞻꞽꞿꟁꟃꞔʂᶎꟈꟊɤꟍ꟏ꟑꟓꟕꟗꟙꟛƛꟶａｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐｑｒｓｔｕｖｗｘｙｚ𐐨𐐩𐐪𐐫𐐬𐐭𐐮𐐯𐐰𐐱𐐲𐐳𐐴𐐵𐐶𐐷𐐸𐐹𐐺𐐻𐐼𐐽𐐾𐐿𐑀𐑁𐑂𐑃𐑄𐑅𐑆𐑇𐑈𐑉𐑊𐑋𐑌𐑍𐑎𐑏𐓘𐓙𐓚𐓛𐓜𐓝𐓞𐓟𐓠𐓡𐓢𐓣𐓤𐓥𐓦𐓧𐓨𐓩𐓪𐓫𐓬𐓭𐓮𐓯𐓰𐓱𐓲𐓳𐓴𐓵𐓶𐓷𐓸𐓹𐓺𐓻𐖗𐖘𐖙𐖚𐖛𐖜𐖝𐖞𐖟𐖠𐖡𐖣𐖤𐖥𐖦𐖧𐖨𐖩𐖪𐖫𐖬𐖭𐖮𐖯𐖰𐖱𐖳𐖴𐖵𐖶𐖷𐖸𐖹𐖻𐖼𐳀𐳁𐳂𐳃𐳄𐳅𐳆𐳇𐳈𐳉𐳊𐳋𐳌𐳍𐳎𐳏𐳐𐳑𐳒𐳓𐳔𐳕𐳖𐳗𐳘𐳙𐳚𐳛𐳜𐳝𐳞𐳟𐳠𐳡𐳢𐳣𐳤𐳥𐳦𐳧𐳨𐳩𐳪𐳫𐳬𐳭𐳮𐳯𐳰𐳱𐳲𐵰𐵱𐵲𐵳𐵴𐵵𐵶𐵷𐵸𐵹𐵺𐵻𐵼𐵽𐵾𐵿𐶀𐶁𐶂𐶃𐶄𐶅𑣀𑣁𑣂𑣃𑣄𑣅𑣆𑣇𑣈𑣉𑣊𑣋𑣌𑣍𑣎𑣏𑣐𑣑𑣒𑣓𑣔𑣕𑣖𑣗𑣘𑣙𑣚𑣛𑣜𑣝𑣞𑣟𖹠𖹡𖹢𖹣𖹤𖹥𖹦𖹧𖹨𖹩𖹪𖹫𖹬𖹭𖹮𖹯𖹰𖹱𖹲𖹳𖹴𖹵𖹶𖹷𖹸𖹹𖹺𖹻𖹼𖹽𖹾𖹿𖺻𖺼𖺽𖺾𖺿𖻀𖻁𖻂𖻃𖻄𖻅𖻆𖻇𖻈𖻉𖻊𖻋𖻌𖻍𖻎𖻏𖻐𖻑𖻒𖻓𞤢𞤣𞤤𞤥𞤦𞤧𞤨𞤩𞤪𞤫𞤬𞤭𞤮𞤯𞤰𞤱𞤲𞤳𞤴𞤵𞤶𞤷𞤸𞤹𞤺𞤻𞤼𞤽𞤾𞤿𞥀𞥁𞥂𞥃') end;
end;
revoke execute on function models.lower_case from public;
grant execute on function models.lower_case to tenantscope_api, tenantscope_jobs, tenantscope_ingest;

-- The first text of a member of a document, by its name; null where it is missing or empty. Names in texts have escaped quotes, so that they are not found.
create function models.text_member(document text, name text) returns text
  language sql immutable set search_path = pg_catalog, pg_temp
begin atomic
  select nullif(split_part(split_part(document, '"' || name || '":"', 2), '"', 1), '');
end;
revoke execute on function models.text_member from public;

-- Null where the text is no ISO 8601 time: an error would stop the lane that writes it, and the server reads words such as `yesterday` as times.
create function models.parse_time(value text) returns timestamptz
  language plpgsql immutable set search_path = pg_catalog, pg_temp set timezone = 'UTC' as $$
begin
  return case when value ~ '^\d{4}-\d\d-\d\dT' then value::timestamptz end;
exception when others then
  return null;
end $$;
revoke execute on function models.parse_time from public;

-- The ids and names of an alert's users and apps, in lower case: lists of its document, in which `groups` and `devices` follow them. Empty where the server cannot parse
-- the lists, such as those with half of a character.
create function models.list_alert_names(document text) returns text[]
  language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  users text := split_part(split_part(document, ',"users":', 2), ',"groups":', 1);
  apps  text := split_part(split_part(document, ',"apps":', 2), ',"devices":', 1);
begin
  if users in ('', '[]') and apps in ('', '[]') then
    return '{}';
  end if;
  return array(select distinct models.lower_case(of_element.name)
                 from (select unnest(array[u ->> 'id', u ->> 'userPrincipalName']) as name from json_array_elements(coalesce(nullif(users, ''), '[]')::json) u
                        union all
                       select unnest(array[p ->> 'id', p ->> 'appId']) from json_array_elements(coalesce(nullif(apps, ''), '[]')::json) p) of_element
                where of_element.name is not null order by 1);
exception when others then
  return '{}';
end $$;
revoke execute on function models.list_alert_names from public;

-- The rows that some detections or alerts should have.
create function models.derive_incident_facts(of_kind text, tenants uuid[], ids text[]) returns setof models.incident_fact
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  select d.tenant_id, 'detection', d.id, d.opened_at, coalesce(d.first_seen_at, d.updated_at), d.severity, d.status, d.level, d.entity_type, d.entity_id, d.action_group,
         d.status <> 'open', case when d.status <> 'open' then models.parse_time(models.text_member(d.document, 'resolvedAt')) end, null::timestamptz,
         d.kind <> '', false, case when d.entity_id is not null then array[models.lower_case(d.entity_id)] else '{}' end
    from unnest(tenants, ids) as requested (tenant_id, id)
    join models.detection d on d.tenant_id = requested.tenant_id and d.id = requested.id
   where of_kind = 'detection'
   union all
  select a.tenant_id, 'securityAlert', a.id, a.created_at, a.created_at, a.severity, a.status, null, null, null, null,
         a.is_resolved, resolution.at,
         least(a.first_triaged_at, resolution.at, case when a.status in ('inProgress', 'resolved') then models.parse_time(models.text_member(a.document, 'lastUpdateDateTime')) end),
         coalesce(a.category <> '' and split_part(split_part(a.document, '"firstActivityDateTime":"', 2), '"createdDateTime":"', 2) <> '', false),
         split_part(a.document, ',"emails":', 2) like '[{%',
         models.list_alert_names(a.document)
    from unnest(tenants, ids) as requested (tenant_id, id)
    join models.security_alert a on a.tenant_id = requested.tenant_id and a.id = requested.id
   cross join lateral (select models.parse_time(models.text_member(split_part(a.detail, ',"rawData":', 1), 'resolvedDateTime')) as at) resolution
   where of_kind = 'securityAlert';
end;
revoke execute on function models.derive_incident_facts from public;

-- The caller holds the locks of the detections or alerts.
create function models.write_incident_facts(of_kind text, tenants uuid[], ids text[]) returns void
  language sql set search_path = pg_catalog, pg_temp
begin atomic
  insert into models.incident_fact as f
  select w.* from models.derive_incident_facts(of_kind, tenants, ids) w order by w.tenant_id, w.id
  on conflict (tenant_id, kind, id) do update
    set opened_at = excluded.opened_at, found_at = excluded.found_at, severity = excluded.severity, status = excluded.status, level = excluded.level,
        entity_type = excluded.entity_type, entity_id = excluded.entity_id, action_group = excluded.action_group, is_resolved = excluded.is_resolved,
        resolved_at = excluded.resolved_at, taken_up_at = excluded.taken_up_at, is_complete = excluded.is_complete, concerns_mail = excluded.concerns_mail,
        names = excluded.names
    where f is distinct from excluded;
end;
revoke execute on function models.write_incident_facts from public;

-- Statement by statement: a batch of records is one. The argument is the kind.
create function models.write_changed_incident_facts() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  tenants uuid[];
  ids     text[];
begin
  select array_agg(c.tenant_id), array_agg(c.id) into tenants, ids from changed c;
  if tenants is null then
    return null;
  end if;
  if tg_op = 'DELETE' then
    delete from models.incident_fact f using unnest(tenants, ids) as gone (tenant_id, id)
     where f.tenant_id = gone.tenant_id and f.kind = tg_argv[0] and f.id = gone.id;
  else
    perform models.write_incident_facts(tg_argv[0], tenants, ids);
  end if;
  return null;
end $$;
revoke execute on function models.write_changed_incident_facts from public;

create trigger write_inserted_incident_facts after insert on models.detection referencing new table as changed
  for each statement execute function models.write_changed_incident_facts('detection');
create trigger write_updated_incident_facts after update on models.detection referencing new table as changed
  for each statement execute function models.write_changed_incident_facts('detection');
create trigger write_deleted_incident_facts after delete on models.detection referencing old table as changed
  for each statement execute function models.write_changed_incident_facts('detection');
create trigger write_inserted_incident_facts after insert on models.security_alert referencing new table as changed
  for each statement execute function models.write_changed_incident_facts('securityAlert');
create trigger write_updated_incident_facts after update on models.security_alert referencing new table as changed
  for each statement execute function models.write_changed_incident_facts('securityAlert');
create trigger write_deleted_incident_facts after delete on models.security_alert referencing old table as changed
  for each statement execute function models.write_changed_incident_facts('securityAlert');

-- Older detections and alerts are added by ingest processes, in the order of kinds, tenants and ids. `next_key` is the position: those through it are done.
insert into models.log_tally_backfill (tally, until_at, next_at, next_key)
select 'incident', clock_timestamp(), clock_timestamp(), 'detection/00000000-0000-0000-0000-000000000000/'
 where exists (select from models.detection) or exists (select from models.security_alert);

-- One step of it; rows are locked, so that no change comes between a record and its row. Returns false when no step is left, or another process is at it.
create function models.backfill_incident_facts(max_rows integer default 2000) returns boolean
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  position_key text;
  of_kind      text;
  of_tenant    uuid;
  after_id     text;
  ids          text[];
  next_tenant  uuid;
begin
  select next_key into position_key from models.log_tally_backfill where tally = 'incident' and next_at is not null for update skip locked;
  if position_key is null then
    return false;
  end if;
  of_kind := split_part(position_key, '/', 1);
  of_tenant := split_part(position_key, '/', 2)::uuid;
  after_id := substring(position_key from length(of_kind) + 39);
  if of_kind = 'detection' then
    select array_agg(locked.id order by locked.id) into ids
      from (select d.id from models.detection d where d.tenant_id = of_tenant and d.id > after_id order by d.id limit max_rows for share) locked;
  else
    select array_agg(locked.id order by locked.id) into ids
      from (select a.id from models.security_alert a where a.tenant_id = of_tenant and a.id > after_id order by a.id limit max_rows for share) locked;
  end if;
  if ids is not null then
    perform models.write_incident_facts(of_kind, array_fill(of_tenant, array[cardinality(ids)]), ids);
    position_key := of_kind || '/' || of_tenant || '/' || ids[cardinality(ids)];
  else
    if of_kind = 'detection' then
      select d.tenant_id into next_tenant from models.detection d where d.tenant_id > of_tenant order by d.tenant_id limit 1;
    else
      select a.tenant_id into next_tenant from models.security_alert a where a.tenant_id > of_tenant order by a.tenant_id limit 1;
    end if;
    position_key := case when next_tenant is not null then of_kind || '/' || next_tenant || '/'
                         when of_kind = 'detection' then 'securityAlert/00000000-0000-0000-0000-000000000000/' end;
  end if;
  update models.log_tally_backfill set next_key = position_key, next_at = case when position_key is not null then next_at end where tally = 'incident';
  return true;
end $$;
revoke execute on function models.backfill_incident_facts from public;
grant execute on function models.backfill_incident_facts to tenantscope_ingest;

create table models.user_fact (
  tenant_id           uuid           not null,
  id                  text           collate "C" not null,
  is_deleted          boolean        not null,
  updated_at          timestamptz(3) not null, -- of the entity
  user_type           text           collate "C",
  is_external         boolean,
  is_enabled          boolean,
  is_admin            boolean,
  is_service          boolean        not null, -- by its employee type, or what synchronizes a directory
  has_mfa             boolean,
  has_copilot_license boolean,
  created_at          timestamptz,
  signed_in_at        timestamptz, -- interactively or not, whichever was later
  disabled_at         timestamptz,
  deleted_at          timestamptz,
  risk_level          text           collate "C",
  risk_state          text           collate "C",
  risk_updated_at     timestamptz,
  methods             jsonb,
  roles               jsonb,
  role_assignments    jsonb,
  license_skus        jsonb,
  primary key (tenant_id, id)
) with (fillfactor = 90);
alter table models.user_fact enable row level security;
alter table models.user_fact force row level security;
create policy owner on models.user_fact to current_user using (true);
create policy tenant_isolation on models.user_fact for select to tenantscope_api, tenantscope_jobs
  using (tenant_id = current_setting('tenantscope.tenant')::uuid);
grant select on models.user_fact to tenantscope_api, tenantscope_jobs;

-- The rows that some users should have. A fact of another type than it should have counts as not reported: an error would stop the lane that writes it.
create function models.derive_user_facts(tenants uuid[], ids text[]) returns setof models.user_fact
  language sql stable set search_path = pg_catalog, pg_temp
begin atomic
  select e.tenant_id, e.id, e.is_deleted, e.updated_at, j."userType",
         case when jsonb_typeof(j."isExternal") = 'boolean' then j."isExternal"::boolean end,
         case when jsonb_typeof(j."accountEnabled") = 'boolean' then j."accountEnabled"::boolean end,
         case when jsonb_typeof(j."isAdmin") = 'boolean' then j."isAdmin"::boolean end,
         coalesce(j."employeeType" ilike '%service%' or j.roles = '["Directory Synchronization Accounts"]', false),
         case when jsonb_typeof(j."mfaRegistered") = 'boolean' then j."mfaRegistered"::boolean end,
         case when jsonb_typeof(j."hasCopilotLicense") = 'boolean' then j."hasCopilotLicense"::boolean end,
         models.parse_time(j."createdAt"), greatest(models.parse_time(j."lastSignInAt"), models.parse_time(j."lastNonInteractiveSignInAt")),
         models.parse_time(j."disabledAt"), models.parse_time(j."deletedAt"), j."riskLevel", j."riskState", models.parse_time(j."riskUpdatedAt"),
         case when jsonb_typeof(j."methodsRegistered") = 'array' then j."methodsRegistered" end,
         case when jsonb_typeof(j.roles) = 'array' then j.roles end,
         case when jsonb_typeof(j."roleAssignments") = 'array' then j."roleAssignments" end,
         case when jsonb_typeof(j."licenseSkus") = 'array' then j."licenseSkus" end
    from unnest(tenants, ids) as requested (tenant_id, id)
    join models.entity_fact e on e.tenant_id = requested.tenant_id and e.kind = 'user' and e.id = requested.id
   cross join lateral jsonb_to_record(e.facts) as j (
           "userType" text, "isExternal" jsonb, "accountEnabled" jsonb, "isAdmin" jsonb, "employeeType" text, "mfaRegistered" jsonb, "hasCopilotLicense" jsonb,
           "createdAt" text, "lastSignInAt" text, "lastNonInteractiveSignInAt" text, "disabledAt" text, "deletedAt" text, "riskLevel" text, "riskState" text,
           "riskUpdatedAt" text, "methodsRegistered" jsonb, roles jsonb, "roleAssignments" jsonb, "licenseSkus" jsonb);
end;
revoke execute on function models.derive_user_facts from public;

-- The caller holds the locks of the facts.
create function models.write_user_facts(tenants uuid[], ids text[]) returns void
  language sql set search_path = pg_catalog, pg_temp
begin atomic
  insert into models.user_fact as f
  select w.* from models.derive_user_facts(tenants, ids) w order by w.tenant_id, w.id
  on conflict (tenant_id, id) do update
    set is_deleted = excluded.is_deleted, updated_at = excluded.updated_at, user_type = excluded.user_type, is_external = excluded.is_external,
        is_enabled = excluded.is_enabled, is_admin = excluded.is_admin, is_service = excluded.is_service, has_mfa = excluded.has_mfa,
        has_copilot_license = excluded.has_copilot_license, created_at = excluded.created_at, signed_in_at = excluded.signed_in_at,
        disabled_at = excluded.disabled_at, deleted_at = excluded.deleted_at, risk_level = excluded.risk_level, risk_state = excluded.risk_state,
        risk_updated_at = excluded.risk_updated_at, methods = excluded.methods, roles = excluded.roles, role_assignments = excluded.role_assignments,
        license_skus = excluded.license_skus
    where f is distinct from excluded;
end;
revoke execute on function models.write_user_facts from public;

create function models.write_changed_user_facts() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  tenants uuid[];
  ids     text[];
begin
  select array_agg(c.tenant_id), array_agg(c.id) into tenants, ids from changed c where c.kind = 'user';
  if tenants is null then
    return null;
  end if;
  if tg_op = 'DELETE' then
    delete from models.user_fact f using unnest(tenants, ids) as gone (tenant_id, id) where f.tenant_id = gone.tenant_id and f.id = gone.id;
  else
    perform models.write_user_facts(tenants, ids);
  end if;
  return null;
end $$;
revoke execute on function models.write_changed_user_facts from public;

create trigger write_inserted_user_facts after insert on models.entity_fact referencing new table as changed
  for each statement execute function models.write_changed_user_facts();
create trigger write_updated_user_facts after update on models.entity_fact referencing new table as changed
  for each statement execute function models.write_changed_user_facts();
create trigger write_deleted_user_facts after delete on models.entity_fact referencing old table as changed
  for each statement execute function models.write_changed_user_facts();

-- Older users are added in the same way, in the order of tenants and ids.
insert into models.log_tally_backfill (tally, until_at, next_at, next_key)
select 'user', clock_timestamp(), clock_timestamp(), '00000000-0000-0000-0000-000000000000/'
 where exists (select from models.entity_user);

create function models.backfill_user_facts(max_rows integer default 2000) returns boolean
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  position_key text;
  of_tenant    uuid;
  ids          text[];
begin
  select next_key into position_key from models.log_tally_backfill where tally = 'user' and next_at is not null for update skip locked;
  if position_key is null then
    return false;
  end if;
  of_tenant := left(position_key, 36)::uuid;
  select array_agg(locked.id order by locked.id) into ids
    from (select e.id from models.entity_fact e where e.tenant_id = of_tenant and e.kind = 'user' and e.id > substring(position_key from 38)
           order by e.id limit max_rows for share) locked;
  if ids is not null then
    perform models.write_user_facts(array_fill(of_tenant, array[cardinality(ids)]), ids);
    position_key := of_tenant || '/' || ids[cardinality(ids)];
  else
    select e.tenant_id || '/' into position_key from models.entity_fact e where e.tenant_id > of_tenant order by e.tenant_id limit 1;
  end if;
  update models.log_tally_backfill set next_key = position_key, next_at = case when position_key is not null then next_at end where tally = 'user';
  return true;
end $$;
revoke execute on function models.backfill_user_facts from public;
grant execute on function models.backfill_user_facts to tenantscope_ingest;
