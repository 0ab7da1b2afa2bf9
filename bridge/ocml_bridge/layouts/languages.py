"""List the words of other languages for roles, as translated datasets have them in place of `user` and `assistant`."""

from __future__ import annotations

from typing import Final

WORDS: Final[dict[str, str]] = {
    **dict.fromkeys(("用户", "用戶", "人类", "人類", "使用者", "ユーザー", "ユーザ", "人間", "사용자", "유저"), "user"),
    **dict.fromkeys(("usuario", "usuária", "usuário", "usuaria", "utilizador", "utilisateur", "utilisatrice"), "user"),
    **dict.fromkeys(("humano", "humain", "benutzer", "nutzer", "mensch", "utente", "gebruiker"), "user"),
    **dict.fromkeys(("пользователь", "человек", "користувач", "użytkownik", "uživatel", "användare"), "user"),
    **dict.fromkeys(("kullanıcı", "người dùng", "pengguna", "مستخدم", "المستخدم", "उपयोगकर्ता", "משתמש"), "user"),
    **dict.fromkeys(("助手", "助理", "机器人", "機器人", "アシスタント", "어시스턴트", "비서"), "assistant"),
    **dict.fromkeys(("asistente", "assistente", "assistent", "assistante", "asistent", "asystent"), "assistant"),
    **dict.fromkeys(("ассистент", "помощник", "асистент", "помічник", "asistan", "trợ lý", "asisten"), "assistant"),
    **dict.fromkeys(("مساعد", "المساعد", "सहायक", "עוזר"), "assistant"),
    **dict.fromkeys(
        ("系统", "系統", "システム", "시스템", "sistema", "système", "systeem", "система", "sistem"), "system"
    ),
    **dict.fromkeys(("systém", "hệ thống", "النظام", "सिस्टम", "מערכת"), "system"),
    **dict.fromkeys(("问", "患者", "病人", "客户", "顾客"), "user"),
    **dict.fromkeys(("答", "医生", "客服"), "assistant"),
    **dict.fromkeys(("工具", "ツール", "도구", "herramienta", "ferramenta", "outil", "werkzeug", "strumento"), "tool"),
    **dict.fromkeys(("инструмент", "інструмент", "narzędzie", "araç", "công cụ"), "tool"),
}
"""Word in lower case → role."""
